import { setLine, textDirection } from "./set-line.js";

const idsOf = (text: string) => setLine(text).glyphs.map(({ id }) => id);

describe("setLine", () => {
  test("letters that do not join stand side by side, from left to right", () => {
    const [k, y] = [...idsOf("К"), ...idsOf("и")];
    expect(idsOf("Ки")).toEqual([k, y]);
    expect(textDirection("Ки")).toBe("ltr");
  });

  test("Hebrew begins at the right, and a number in it stays as it is", () => {
    const [one, alef] = idsOf("א1");
    const [two] = idsOf("א2");
    const [bet] = idsOf("ב");
    expect(idsOf("אב")).toEqual([bet, alef]);
    expect(idsOf("אב12")).toEqual([one, two, bet, alef]);
    expect(textDirection("אב12")).toBe("rtl");
  });

  test("Latin words in an Arabic line keep their order, and an Arabic word in a Latin line its own", () => {
    const [seen] = idsOf("س");
    const [space] = idsOf("س ").filter((id) => id !== seen);
    const drawn = (text: string) => idsOf(text).filter((id) => id !== space);
    const [capital, lower] = drawn("س To");
    expect(drawn("س To")).toEqual([capital, lower, seen]);
    expect(drawn("س oT")).toEqual([lower, capital, seen]);
    expect(drawn("To س").at(-1)).toBe(seen);
    expect([textDirection("س To"), textDirection("To س")]).toEqual(["rtl", "ltr"]);
  });

  test("brackets open towards what they hold", () => {
    const [close] = idsOf(")");
    expect(idsOf("(א)").at(-1)).toBe(close);
  });

  test("a part of a line from the right is set from the right, even without letters from the right", () => {
    const [open] = idsOf("(");
    const [two] = idsOf("2");
    expect(setLine("2)", "rtl").glyphs.map(({ id }) => id)).toEqual([open, two]);
    expect(idsOf("2)")).not.toEqual([open, two]);
  });

  test("Arabic letters are joined", () => {
    const [alone] = idsOf("س");
    const joined = idsOf("سسس");
    expect(joined).toHaveLength(3);
    expect(new Set([...joined, alone]).size).toBe(4);
  });

  test("a zero-width non-joiner separates two Arabic letters, and nothing is drawn for it", () => {
    const apart = [...idsOf("خواهم"), ...idsOf("می")];
    const [nothing] = idsOf("می\u200cخواهم").filter((id) => !apart.includes(id));
    expect(idsOf("می\u200cخواهم").filter((id) => id !== nothing)).toEqual(apart);
    expect(setLine("می\u200cخواهم").width).toBeCloseTo(setLine("می").width + setLine("خواهم").width);
    expect(idsOf("میخواهم")).not.toEqual(apart);
  });

  test("Devanagari letters form conjuncts, and vowels go before them", () => {
    expect(idsOf("क्ष")).toHaveLength(1);
    const [ki = "", ...rest] = idsOf("कि");
    expect(rest).toHaveLength(1);
    expect(idsOf("क")).toEqual([rest[0]]);
    expect(ki).not.toBe(rest[0]);
  });

  test("a line in several fonts is as wide as its parts", () => {
    const parts = ["東京 ", "Tower ", "12階"].map((text) => setLine(text).width);
    expect(setLine("東京 Tower 12階").width).toBeCloseTo(parts.reduce((sum, width) => sum + width, 0));
  });
});
