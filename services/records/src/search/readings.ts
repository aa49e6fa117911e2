import { foldSpellings, joinedWordsIn, wordsIn } from "@shipping/kit/fold-text";
import { foldSpaces } from "./search-text.js";

/** One way to read what somebody searches for. A record matches if its search text contains all of `patterns`, which are those of LIKE. */
export interface Reading {
  patterns: string[];
  strings: string[];
  /** How often a comparison looks at each byte of a text, at most. */
  looks: number;
}

const MAX_WORDS = 8;

/** As many as `find_orders` and `find_shipments` take. */
const MAX_READINGS = 4;

const EMAIL = /^\S[^\s@]*@\S+$/;

/**
 * The ways to read a text. A record is found by any of them:
 * - words, all of which a record must have, without their accents, and with `ue` for `ü` and the like;
 * - as it is, with its punctuation;
 * - in one piece, such as a telephone number with spaces, without the zeros that stand before it within a country;
 * - words without their apostrophes and hyphens.
 */
export function toReadings(text: string): Reading[] {
  const spellings = foldSpellings(text);
  const written = spellings.map(foldSpaces);
  // An email address is rare as it is. Its words are not.
  if (EMAIL.test(written[0]!)) return distinct(written.map((address) => [address]));
  const [words = [], ...others] = spellings.map((spelling) => wordsIn(spelling).slice(0, MAX_WORDS));
  return distinct([words, ...others, asWritten(words, written[0]!), inOnePiece(words), ...joinedWords(spellings)]);
}

function distinct(readings: readonly (readonly string[])[]): Reading[] {
  const different = new Map(readings.filter(({ length }) => length > 0).map((strings) => [strings.join(" "), strings]));
  return [...different.values()].slice(0, MAX_READINGS).map(toReading);
}

/** The words of most texts find what the text as it is would find, but the first of these may stand within a word of a reference. */
function asWritten([first = ""]: readonly string[], written: string): string[] {
  const isForItself = first.length < 3 && /[^\p{L}\p{N}\p{So}\s]/u.test(written);
  return written.length >= 3 && isForItself ? [written] : [];
}

function inOnePiece(words: readonly string[]): string[] {
  const joined = words.join("");
  const piece = /^\d+$/.test(joined) ? joined.replace(/^0+(\d{4})/, "$1") : joined;
  return piece.length >= 4 && /\d/.test(piece) && !isFoundByWords(words, piece) ? [piece] : [];
}

/**
 * Whether a record that has these words in one piece is also found by each of them, because each has a hash: four digits or more anywhere, and the
 * first letters of a reference or a postal code.
 */
function isFoundByWords([first = "", ...others]: readonly string[], piece: string): boolean {
  const hasHash = first.length >= (/\D/.test(first) ? 3 : 4);
  return hasHash && others.every((word) => /^\d{4,}$/.test(word)) && piece.startsWith(first);
}

const joinedWords = (spellings: readonly string[]) =>
  spellings.map((spelling) => joinedWordsIn(spelling).slice(0, MAX_WORDS));

const toReading = (strings: readonly string[]): Reading => ({
  strings: [...strings],
  patterns: strings.map(toPattern),
  looks: strings.reduce((looks, string) => looks + 2 + countOverlaps(string), 0),
});

/** Letters of a script that has no spaces between words: each may begin a word. */
export const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

// One or two letters are the beginning of a word. Others may stand anywhere.
function toPattern(string: string): string {
  const escaped = string.replace(/[\\%_]/g, "\\$&");
  return string.length < 3 && !UNSPACED.test(string) ? `% ${escaped}%` : `%${escaped}%`;
}

/**
 * Returns how often LIKE looks at a letter of a text that repeats itself as this string does: `00000` overlaps with four copies of itself, and
 * LIKE compares each of them anew.
 */
function countOverlaps(string: string): number {
  // `borders` has the length of the longest shorter beginning that each beginning also ends with, `overlaps` the number of these (Knuth, Morris, Pratt).
  const borders = [0];
  const overlaps = [0];
  for (let at = 1, border = 0; at < string.length; at++) {
    while (border > 0 && string[at] !== string[border]) border = borders[border - 1]!;
    if (string[at] === string[border]) border++;
    borders.push(border);
    overlaps.push(border === 0 ? 0 : overlaps[border - 1]! + 1);
  }
  return Math.max(...overlaps);
}
