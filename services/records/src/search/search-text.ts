import { foldText, wordsIn } from "@shipping/kit/fold-text";

/** The columns of an order or a shipment by which it is found. Addresses and metadata are JSON. */
export interface SearchedRow {
  reference: string;
  sender: string;
  recipient: string;
  metadata: string | null;
}

interface SearchedAddress {
  name: string;
  company?: string;
  email?: string;
  phone?: string;
  city: string;
  postal_code: string;
}

// A search compares each byte, and hashes cost a few microseconds for each character. Fields of usual length are a third of this.
const MAX_BYTES = 1_200;

/** What a record is found by, each once: strings by any part of theirs, and others by their beginning. */
interface SearchStrings {
  anywhere: string[];
  beginnings: string[];
}

/**
 * The strings by which a record is found. References: with their punctuation, and in one piece. Others: folded words; email addresses;
 * postal codes and telephone numbers in one piece, however they are punctuated.
 */
function searchStrings({ reference, sender, recipient, metadata }: SearchedRow): SearchStrings {
  const anywhere = new Set<string>();
  const beginnings = new Set<string>();
  let bytes = 0;
  const add = (strings: Set<string>, read: (text: string) => readonly string[], text: string) => {
    // Folding is most of the cost, so a text is not folded if there is no place for a word of usual length.
    for (const string of bytes > MAX_BYTES - 16 ? [] : read(text)) {
      const size = 1 + Buffer.byteLength(string);
      if (size === 1 || strings.has(string) || bytes + size > MAX_BYTES) continue;
      bytes += size;
      strings.add(string);
    }
  };
  add(anywhere, (text) => [foldSpaces(text), inOnePiece(text)], reference);
  add(beginnings, wordsIn, reference);
  for (const { name, company = "", city, postal_code, email = "", phone = "" } of [recipient, sender].map(
    parseAddress,
  )) {
    for (const text of [name, company, city, postal_code, email]) add(beginnings, wordsIn, text);
    add(beginnings, (text) => [foldSpaces(text)], email);
    add(beginnings, (text) => [inOnePiece(text)], postal_code);
    add(beginnings, (text) => [text.replace(/\D/g, "")], phone);
  }
  for (const value of metadata === null ? [] : valuesIn(JSON.parse(metadata))) add(beginnings, wordsIn, value);
  return { anywhere: [...anywhere], beginnings: [...beginnings] };
}

const parseAddress = (json: string): SearchedAddress => JSON.parse(json);

/** A record's strings as one text, in which each begins after a space. The last line has those that are found by their beginning. */
export function toSearchText(row: SearchedRow): string {
  const { anywhere, beginnings } = searchStrings(row);
  return [...anywhere, beginnings.join(" ")].map((line) => ` ${line} `).join("\n");
}

/** The hashes of all that a text can be found by, for the index. */
export function toGrams(text: string, seed: number): number[] {
  const anywhere = text.split("\n").map((line) => line.slice(1, -1));
  return hashStrings({ beginnings: anywhere.pop()!.split(" "), anywhere }, seed);
}

const inOnePiece = (text: string) => wordsIn(text).join("");
const foldSpaces = (text: string) => foldText(text).trim().replace(/\s+/g, " ");

function valuesIn(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(valuesIn);
  return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
}

/** One way to read what somebody searches for. A record matches if its search text contains all of `patterns`, which are those of LIKE. */
export interface Reading {
  patterns: string[];
  strings: string[];
  /** How often a comparison looks at each byte of a text, at most. */
  looks: number;
}

const MAX_WORDS = 8;

/**
 * The ways to read a text: as words, all of which a record must have; as it is, with its punctuation; in one piece, such as a telephone number
 * with spaces, without the zeros that stand before it within a country.
 */
export function toReadings(text: string): Reading[] {
  const words = wordsIn(text).slice(0, MAX_WORDS);
  const written = foldSpaces(text);
  const joined = words.join("");
  const piece = /^\d+$/.test(joined) ? joined.replace(/^0+(\d{4})/, "$1") : joined;
  // An email address is rare as it is. Its words are not.
  if (/^\S[^\s@]*@\S+$/.test(written)) return [toReading([written])];
  const readings = words.length > 0 ? [words] : [];
  // Otherwise its words find it as well, since the first may stand within a word of a reference.
  const isForItself = (words[0]?.length ?? 0) < 3 && /[^\p{L}\p{N}\p{So}\s]/u.test(written);
  if (written.length >= 3 && isForItself) readings.push([written]);
  if (piece.length >= 4 && /\d/.test(piece) && !isFoundByWords(words, piece)) readings.push([piece]);
  return readings.map(toReading);
}

/**
 * Whether a record that has these words in one piece is also found by each of them, because each has a hash: four digits or more anywhere, and the
 * first letters of a reference or a postal code.
 */
function isFoundByWords([first = "", ...others]: readonly string[], piece: string): boolean {
  const hasHash = first.length >= (/\D/.test(first) ? 3 : 4);
  return hasHash && others.every((word) => /^\d{4,}$/.test(word)) && piece.startsWith(first);
}

const toReading = (strings: string[]): Reading => ({
  strings,
  patterns: strings.map(toPattern),
  looks: strings.reduce((looks, string) => looks + 2 + countOverlaps(string), 0),
});

// One or two letters are the beginning of a word. Others may stand anywhere, as may letters of a script without spaces.
function toPattern(string: string): string {
  const escaped = string.replace(/[\\%_]/g, "\\$&");
  return string.length < 3 && !UNSPACED.test(string) ? `% ${escaped}%` : `%${escaped}%`;
}

/**
 * With how many copies of itself a beginning of a string overlaps at most: four in `00000`. From each letter of a text that repeats itself in the
 * same way, LIKE compares such a string anew, so it looks at each letter as often.
 */
function countOverlaps(string: string): number {
  // For each beginning, the length of the longest shorter one with which it also ends, and how many of these there are (Knuth, Morris, Pratt).
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

const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

// How long the beginnings are that have hashes. A longer one is found by the longest of these, and then compared.
const LENGTHS = [9, 5, 3];

function hashStrings({ anywhere, beginnings }: SearchStrings, seed: number): number[] {
  const grams = new Set<number>();
  const add = (string: string, isAnywhere: boolean) => {
    if (string.length < 3) grams.add(hash(seed, string, 0, string.length));
    for (let at = 0; at < string.length; at++) {
      const isDigits = isFourDigits(string, at);
      if (isDigits) grams.add(hash(seed, string, at, 4));
      const isUnspaced = string.charCodeAt(at) > 127 && UNSPACED.test(string[at]!);
      if (at > 0 && !isAnywhere && !isUnspaced) continue;
      for (const length of isDigits ? [3] : isUnspaced ? [...LENGTHS, 2, 1] : LENGTHS)
        if (at + length <= string.length) grams.add(hash(seed, string, at, length));
    }
  };
  for (const string of anywhere) add(string, true);
  for (const string of beginnings) add(string, false);
  return [...grams];
}

const MAX_GRAMS = 12;

/** The hashes that a record has if it is found by these strings: all of them, or so many that few others have them. */
export function toWantedGrams(strings: readonly string[], seed: number): number[] {
  const grams = new Set<number>();
  const rare = strings.filter(({ length }) => length >= 3);
  // One or two letters alone find a whole word.
  for (const string of rare.length > 0 ? rare : strings) {
    for (const { 0: digits, index } of string.matchAll(/\d{4,}/g))
      for (let at = 0; at < digits.length; at += 4)
        grams.add(hash(seed, string, index + Math.min(at, digits.length - 4), 4));
    const length = LENGTHS.find((length) => length <= string.length);
    if (length === undefined) grams.add(hash(seed, string, 0, string.length));
    else if (!isFourDigits(string, 0)) grams.add(hash(seed, string, 0, length));
  }
  return [...grams].slice(0, MAX_GRAMS);
}

/** What the hashes of an owner's segment begin with. Nobody else knows the ID of an account, so nobody can choose texts with its hashes. */
export function seedFor(
  { accountId, environment }: { accountId: string; environment: string },
  segment: number,
): number {
  const owner = `${accountId} ${environment} ${segment}`;
  let seed = 2_166_136_261;
  for (let at = 0; at < owner.length; at++) seed = mix(seed, owner.charCodeAt(at));
  return mix(seed ^ (seed >>> 15), seed >>> 7);
}

function hash(seed: number, string: string, from: number, length: number): number {
  let hashed = seed;
  for (let at = from; at < from + length; at++) hashed = mix(hashed, string.charCodeAt(at));
  return hashed | 0;
}

// FNV-1a, by code unit.
const mix = (hashed: number, unit: number) => Math.imul(hashed ^ unit, 16_777_619);

function isFourDigits(string: string, from: number): boolean {
  for (let at = from; at < from + 4; at++) {
    const unit = string.charCodeAt(at);
    if (!(unit >= 48 && unit <= 57)) return false;
  }
  return true;
}
