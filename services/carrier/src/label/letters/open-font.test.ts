import { isShaped, openFont } from "./open-font.js";

describe("openFont", () => {
  const font = openFont("DroidSansFallback.ttf");

  test("sets letters side by side, from the right where that is their direction", () => {
    const [tou, kyou] = font.set("東京", "ltr");
    expect([tou?.advance, kyou?.advance, tou?.dx]).toEqual([1, 1, 0]);
    expect(font.set("東京", "rtl").map(({ id }) => id)).toEqual([kyou?.id, tou?.id]);
  });

  test("knows what it has", () => {
    const has = (character: string) => font.has(character.codePointAt(0)!);
    expect([has("東"), has("서"), has("Ж"), has("😀")]).toEqual([true, true, false, false]);
  });

  test("a subset has the glyphs that it was asked for, in a file that is small", () => {
    const ids = font.set("東京都", "ltr").map(({ id }) => id);
    const { file, widths, name } = font.subset(ids);
    expect({ widths, name }).toEqual({ widths: [1000, 1000, 1000], name: "DroidSansFallback" });
    expect(file.length).toBeLessThan(3_000);
  });

  test("begins anew when it has kept very many letters, and sets as before", () => {
    const before = font.set("東京", "ltr").map(({ id, advance }) => ({ id, advance }));
    for (let code = 0x4e00; code < 0x4e00 + 6_000; code++) font.set(String.fromCharCode(code), "ltr");
    expect(font.set("東京", "ltr").map(({ id, advance }) => ({ id, advance }))).toEqual(before);
  });
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
