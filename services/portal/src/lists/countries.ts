/** Codes that `Intl` has names for, and that are no countries: unions, and codes for tests and the unknown. */
const NONE = new Set(["EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"]);

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

// A code that is no longer used, such as DD, is replaced in a locale.
const isInUse = (code: string) => new Intl.Locale(`und-${code}`).region === code;

/** All countries by their code, in the order of their English names. */
export const COUNTRIES: ReadonlyMap<string, string> = new Map(
  LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
    .flatMap((code): [code: string, name: string][] => {
      const name = names.of(code);
      return name === undefined || NONE.has(code) || !isInUse(code) ? [] : [[code, name]];
    })
    .sort(([, one], [, other]) => one.localeCompare(other, "en")),
);

export const isCountry = (code: string) => /^[A-Z]{2}$/.test(code);
