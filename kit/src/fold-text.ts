import anyAscii from "any-ascii";

/** Letters without an accent that decomposition would remove, as people type them on other keyboards. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ ß: "ss", ø: "o", đ: "d", ð: "d", ł: "l", æ: "ae", œ: "oe", þ: "th", ı: "i" },
};
/** Letters that people also spell with two, and the Cyrillic one that `any-ascii` reads otherwise without its accent. */
const SPELLED_OUT: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", å: "aa", ø: "oe", й: "y" };

const PLAIN_LETTERS = /[ßøđðłæœþı]/g;
const SPELLED_OUT_LETTERS = /[äöüåøй]/g;
const APOSTROPHES = /[’‘ʼʻ´′]/g;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;
const ACCENTS = /\p{M}+/gu;
const OTHER_ALPHABETS = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu;
const DIGITS = /\p{Nd}/gu;

const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);

/**
 * Folds a text as searches compare it: without capitals, accents, ligatures and invisible characters; Cyrillic and Greek in Latin letters, and
 * the digits of all scripts as 0 to 9. `ß` is `ss`, and `ø` is `o`.
 */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .replace(INVISIBLE, "")
    .replace(APOSTROPHES, "'")
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .toLowerCase()
    .replace(PLAIN_LETTERS, (letter) => PLAIN[letter]!)
    .replace(OTHER_ALPHABETS, (letter) => anyAscii(letter).replace("'", ""))
    .replace(DIGITS, anyAscii);
}

/** Returns the folded ways to type a text: without its accents, and with `ue` for `ü` and the like. One way if both are equal. */
export function foldSpellings(text: string): string[] {
  const plain = foldText(text);
  if (isAscii(text)) return [plain];
  const lower = text.normalize("NFC").toLowerCase();
  const spelledOut = foldText(lower.replace(SPELLED_OUT_LETTERS, (letter) => SPELLED_OUT[letter]!));
  return plain === spelledOut ? [plain] : [plain, spelledOut];
}

/** Returns the words of a folded text: the letters and digits between its spaces and punctuation. */
export function wordsIn(folded: string): string[] {
  return folded.match(isAscii(folded) ? /[a-z0-9]+/g : /[\p{L}\p{N}\p{So}]+/gu) ?? [];
}

/** The characters of a folded text that may join two parts of a word. */
export const JOINTS = /['`·\p{Pd}]/gu;

/** Returns the words without apostrophes and hyphens, `oneill` for `o'neill`; empty if the folded text has none within words. */
export function joinedWordsIn(folded: string): string[] {
  const isLetter = (at: number) => /\p{L}/u.test(folded.charAt(at));
  const joined = folded.replace(JOINTS, (joint, at: number) => (isLetter(at - 1) && isLetter(at + 1) ? "" : joint));
  return joined === folded ? [] : wordsIn(joined);
}
