import { countryName } from "./country-name.js";
import { isWinAnsi } from "./letters/standard-font.js";

describe("countryName", () => {
  test.each([
    ["DE", "GERMANY"],
    ["US", "UNITED STATES"],
    ["GB", "UNITED KINGDOM"],
    ["KR", "SOUTH KOREA"],
    ["AE", "UNITED ARAB EMIRATES"],
    ["HK", "HONG KONG"],
    ["XK", "KOSOVO"],
    ["AX", "ÅLAND ISLANDS"],
  ])("%s is %s", (code, name) => {
    expect(countryName(code)).toBe(name);
  });

  test.each(["QQ", "XA", "ZZ", "AA", "WW"])("%s is no country, and stays a code", (code) => {
    expect(countryName(code)).toBe(code);
  });

  test("every name is one that a label can print", () => {
    const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const all = letters.flatMap((first) => letters.map((second) => countryName(first + second)));
    expect(all.filter((name) => !isWinAnsi(name) || /[a-z]/.test(name))).toEqual([]);
  });
});
