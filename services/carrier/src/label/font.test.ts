import fc from "fast-check";
import { countFitting, type Face, printable, widthOf, winAnsi } from "./font.js";

describe("printable", () => {
  test.each([
    ["Heidestraße 17, Köln – “Süd” €5 …", "Heidestraße 17, Köln – “Süd” €5 …"],
    ["Zażółć Gęślą-Jaźń", "Zazólc Gesla-Jazn"],
    ["Αθήνα", "Athina"],
    ["北京市", "BeiJingShi"],
    ["الرياض", "lryd"],
    ["Cafe\u0301", "Café"],
    ["👨‍👩‍👧 family", ":man::woman::girl: family"],
    ["  a\t\tb\r\nc\u00a0d\u2028e  ", "a b c d e"],
    ["soft\u00adhyphen, left-to-right\u200e mark, NUL\u0000", "softhyphen, left-to-right mark, NUL"],
    ["\u200b", ""],
    ["\u{1b000}\u0000\u{2eba7}\u0000!", "e !"],
  ])("%j is printed as %j", (text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  test("whatever is sent, what comes out can be encoded and stays as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const printed = printable(text);
        expect(printed).not.toMatch(/\p{Cc}|^\s|\s$/u);
        expect(printable(printed)).toBe(printed);
        expect(winAnsi(printed)).toHaveLength(printed.length);
        expect(winAnsi(printed).some((byte) => byte < 0x20 || byte === 0x7f)).toBe(false);
      }),
    );
  });
});

test("winAnsi writes CP1252", () => {
  expect(winAnsi("A€…’“”–—Žžü").toString("hex")).toBe("4180859293949697" + "8e9efc");
});

describe("widths", () => {
  const faces: Face[] = ["Helvetica", "Helvetica-Bold"];

  // From Adobe's metrics of the standard fonts.
  test.each([
    ["A", 667, 722],
    ["i", 222, 278],
    [" ", 278, 278],
    ["€", 556, 556],
    ["…", 1000, 1000],
    ["ß", 611, 611],
  ])("%s is %i thousandths wide, %i in bold", (text, regular, bold) => {
    expect(faces.map((face) => widthOf(text, face, 1000))).toEqual([regular, bold]);
  });

  test("a text is as wide as its characters, and grows with the size", () => {
    expect(widthOf("Ai", "Helvetica", 12)).toBeCloseTo(((667 + 222) * 12) / 1000);
  });

  test("countFitting counts what fits and no more", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.double({ min: 1, max: 300, noNaN: true }), (text, width) => {
        const count = countFitting(text, "Helvetica", 9, width);
        expect(widthOf(text.slice(0, count), "Helvetica", 9)).toBeLessThanOrEqual(width + 1e-6);
        if (count < text.length)
          expect(widthOf(text.slice(0, count + 1), "Helvetica", 9)).toBeGreaterThan(width - 1e-6);
      }),
    );
  });
});
