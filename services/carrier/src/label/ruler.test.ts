import fc from "fast-check";
import { ownLetters } from "./letters/letters.js";
import { type Face, isStandard, measureText, textWidth } from "./ruler.js";

test("a text is as wide as its characters, and grows with the size", () => {
  expect(textWidth("Ai", "Helvetica", 12)).toBeCloseTo(((667 + 222) * 12) / 1000);
  expect(textWidth("北京", "Letters", 12)).toBeCloseTo(2 * 12);
});

test("only two faces are standard", () => {
  const faces: Face[] = ["Helvetica", "Helvetica-Bold", "Letters", "Letters-Bold"];
  expect(faces.filter(isStandard)).toEqual(["Helvetica", "Helvetica-Bold"]);
});

describe("measureText", () => {
  test("measures parts", () => {
    const { fit } = measureText("Ai i", "Helvetica");
    const width = (222 + 278 + 222) / 1000;
    expect([fit(1, width), fit(1, width - 0.001), fit(1, width - 0.223)]).toEqual([4, 3, 2]);
    expect([2, 1.999].map((width) => measureText("東京 12", "Letters").fit(0, width))).toEqual([2, 1]);
  });

  test("fit counts exactly the letters that fit", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 60 }),
        fc.nat(59),
        fc.double({ min: 1.1, max: 30, noNaN: true }),
        (text, at, width) => {
          const start = at % text.length;
          const end = measureText(text, "Helvetica").fit(start, width);
          expect(textWidth(text.slice(start, end), "Helvetica", 1)).toBeLessThanOrEqual(width + 1e-6);
          if (end < text.length)
            expect(textWidth(text.slice(start, end + 1), "Helvetica", 1)).toBeGreaterThan(width - 1e-6);
        },
      ),
    );
  });

  test("fit advances by one letter even if it is too wide, so that every text ends", () => {
    expect(measureText("東京", "Letters").fit(1, 0.1)).toBe(2);
    expect(measureText("WW", "Helvetica").fit(0, 0.1)).toBe(1);
  });

  test("letters stay with their marks, and surrogates with their pairs", () => {
    const text = ownLetters("ก็ก็ க் é́ 𠮷𠮷");
    for (const width of [0.1, 0.7, 1.3, 2.9]) {
      for (let start = 0; start < text.length; start = measureText(text, "Letters").fit(start, width)) {
        expect(text.slice(start)).not.toMatch(/^[\p{M}\udc00-\udfff]/u);
      }
    }
  });

  test("the words of joined letters are as wide as they are drawn", () => {
    const text = "محمد العبدالله";
    const { fit } = measureText(text, "Letters");
    const width = textWidth(text, "Letters", 1);
    expect(fit(0, width)).toBe(text.length);
    expect(fit(0, width - 0.001)).toBe(text.length - 1);
  });
});
