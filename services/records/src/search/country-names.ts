import { foldSpellings, wordsIn } from "@shipping/kit/fold-text";

/** The words by country code. A code has two letters, so there are at most a few hundred. */
const known = new Map<string, readonly string[]>();

/** The words that a country is called by: its code, and its names in English and in the language of most of its people. */
export function countryWords(code: string): readonly string[] {
  let words = known.get(code);
  if (!words) {
    words = [...new Set(countryNames(code).flatMap(foldSpellings).flatMap(wordsIn))];
    known.set(code, words);
  }
  return words;
}

function countryNames(code: string): string[] {
  const { language } = new Intl.Locale(`und-${code}`).maximize();
  const names = ["en", language].map((name) =>
    new Intl.DisplayNames([name], { type: "region", fallback: "none" }).of(code),
  );
  return [code, ...names.filter((name) => name !== undefined)];
}
