import { readdirSync } from "node:fs";
import { runs } from "@shipping/kit/testing/runs";
import fc from "fast-check";
import { type Direction, isShaped, openFont } from "./open-font.js";

const FONTS = new URL("../../../fonts/", import.meta.url);

const rounded = (value: number) => Number(value.toFixed(3));

describe("openFont", () => {
  const font = openFont("DroidSansFallback.ttf");

  test("sets letters side by side, from the right where that is their direction", () => {
    const [tou, kyou] = font.set("東京", "ltr");
    expect([tou?.advance, kyou?.advance, tou?.dx]).toEqual([1, 1, 0]);
    expect(font.set("東京", "rtl").map(({ id }) => id)).toEqual([kyou?.id, tou?.id]);
  });

  test("has its characters", () => {
    const has = (character: string) => font.has(character.codePointAt(0)!);
    expect([has("東"), has("서"), has("Ж"), has("😀")]).toEqual([true, true, false, false]);
  });

  test("a subset has the glyphs that it was asked for, in a file that is small", () => {
    const ids = font.set("東京都", "ltr").map(({ id }) => id);
    const { file, widths, name } = font.subset(ids);
    expect({ widths, name }).toEqual({ widths: [1000, 1000, 1000], name: "DroidSansFallback" });
    expect(file.length).toBeLessThan(3_000);
  });

  test("drops cached glyphs when there are too many, and sets text as before", () => {
    const before = font.set("東京", "ltr").map(({ id, advance }) => ({ id, advance }));
    for (let code = 0x4e00; code < 0x4e00 + 6_000; code++) font.set(String.fromCharCode(code), "ltr");
    expect(font.set("東京", "ltr").map(({ id, advance }) => ({ id, advance }))).toEqual(before);
  });
});

describe("letters for whose marks a rule of the font has no anchor", () => {
  const font = openFont("NotoSansArabic-Regular.ttf");

  // HarfBuzz 15.0 sets the glyphs with these advances and places.
  test.each([
    ["ڢ", "0 0.694 -0.023, 0.983 0 0"],
    ["ڣ", "0 0.694 -0.023, 0 0.683 0.038, 0.983 0 0"],
    ["ڢّ", "0 0.587 0.043, 0 0.694 -0.023, 0.983 0 0"],
    ["ڢاس", "1.209 0 0, 0.291 0 0, 0 0.126 -0.003, 0.447 0 0"],
    ["محمّد", "0.532 0 0, 0 0.128 -0.096, 0.578 0 0, 0.637 0 0, 0.525 0 0"],
  ])("%s is set as HarfBuzz sets it", (text, expected) => {
    const places = font.set(text, "rtl").map(({ advance, dx, dy }) => [advance, dx, dy].map(rounded).join(" "));
    expect(places.join(", ")).toBe(expected);
  });
});

test.each(readdirSync(FONTS).filter((file) => file.endsWith(".ttf")))("%s sets every character that it has", (file) => {
  const font = openFont(file);
  const codes = Array.from({ length: 0x10000 }, (_, code) => code).filter((code) => font.has(code));
  const letter = fc.constantFrom(...codes.map((code) => String.fromCharCode(code)));
  const text = fc.string({ unit: letter, minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(text, fc.constantFrom<Direction>("ltr", "rtl"), (text, direction) => {
      expect(font.set(text, direction).length).toBeGreaterThan(0);
    }),
    { numRuns: runs(100) },
  );
});

test.each([
  ["Ελένη", false],
  ["רוטשילד", false],
  ["東京", false],
  ["محمد", true],
  ["प्रिया", true],
  ["q\u0301", true],
  ["ก็", true],
])("isShaped(%j) is %s", (text, shaped) => {
  expect(isShaped(text)).toBe(shaped);
});
