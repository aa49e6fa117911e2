import fc from "fast-check";
import { type Field, layOut, sizeFor } from "./layout.js";
import { ownLetters } from "./letters/letters.js";
import { type Face, textWidth } from "./ruler.js";

const face: Face = "Helvetica";
const box = { width: 200, height: 100, most: 15, least: 6 };
const field = (text: string, scale = 1): Field => ({ text, face, scale });
const textsOf = (fields: Field[], where = box) => layOut(fields, where).map((line) => line.text);

describe("layOut", () => {
  test("short fields take a line each, in the largest size", () => {
    const lines = layOut([field("Grace", 1.2), field("1 Long Lane")], box);
    expect(lines.map(({ text, size }) => ({ text, size }))).toEqual([
      { text: "Grace", size: 18 },
      { text: "1 Long Lane", size: 15 },
    ]);
    expect(lines[1]!.baseline - lines[0]!.baseline).toBeGreaterThan(15);
  });

  test("a long field is broken at spaces before anything shrinks", () => {
    const lines = layOut([field("the quick brown fox jumps over the lazy dog")], box);
    expect(lines.map(({ text }) => text)).toEqual(["the quick brown fox jumps", "over the lazy dog"]);
    expect(lines[0]!.size).toBe(15);
  });

  test("a word wider than the box is broken inside", () => {
    const texts = textsOf([field("W".repeat(40))]);
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join("")).toBe("W".repeat(40));
  });

  test("many fields shrink together", () => {
    const lines = layOut(
      Array.from({ length: 8 }, (_, index) => field(`line ${index}`)),
      box,
    );
    expect(lines).toHaveLength(8);
    expect(new Set(lines.map(({ size }) => size))).toEqual(new Set([10.5]));
  });

  test("text that does not fit in the smallest size is cut with an ellipsis, each field to the same number of rows", () => {
    const lines = layOut(
      Array.from({ length: 5 }, () => field("several words ".repeat(30).trim())),
      box,
    );
    expect(lines).toHaveLength(10);
    expect(lines.every(({ size }) => size === 6)).toBe(true);
    expect(lines.filter(({ text }) => text.endsWith("…"))).toHaveLength(5);
  });

  test("no fields, no lines", () => {
    expect(layOut([], box)).toEqual([]);
  });

  test("lines in their own letters are further apart, because these are taller", () => {
    const baselines = (face: Face) =>
      layOut(
        ["一", "二"].map((text) => ({ text, face, scale: 1 })),
        box,
      ).map((line) => line.baseline);
    const [first = 0, second = 0] = baselines("Letters");
    expect(second - first).toBeCloseTo(15 * 1.32);
    expect(first).toBeCloseTo(15 * 0.94);
  });

  test("a text without spaces is broken between its letters, never within one", () => {
    const text = ownLetters("グラントウキョウサウスタワー12階".repeat(3));
    const lines = layOut([{ text, face: "Letters", scale: 1 }], box);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.map((line) => line.text).join("")).toBe(text);
    const marked = "n\u0303\u0308".repeat(60);
    const rows = layOut([{ text: marked, face: "Letters", scale: 1 }], box).map((line) => line.text);
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.every((row) => row.startsWith("n"))).toBe(true);
  });

  test("whatever the fields, every line is inside the box, and without a cut no character is lost", () => {
    const texts = fc.array(
      fc.string({ minLength: 1, maxLength: 200 }).map((text) => text.trim() || "x"),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(texts, (list) => {
        const lines = layOut(
          list.map((text) => field(text)),
          box,
        );
        for (const { text, size, baseline } of lines) {
          expect(textWidth(text, face, size)).toBeLessThanOrEqual(box.width + 1e-6);
          expect(baseline).toBeLessThanOrEqual(box.height);
        }
        const drawn = lines.map(({ text }) => text).join("");
        if (!drawn.includes("…")) expect(drawn.replaceAll(" ", "")).toBe(list.join("").replaceAll(" ", ""));
      }),
    );
  });
});

test("sizeFor shrinks a line until it fits, and never enlarges it", () => {
  expect(sizeFor("short", face, 12, 200)).toBe(12);
  const size = sizeFor("a long line that cannot fit at twelve points", face, 12, 100);
  expect(textWidth("a long line that cannot fit at twelve points", face, size)).toBeCloseTo(100);
});
