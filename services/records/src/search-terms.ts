import sql from "sql-template-tag";

/** The texts by which orders and shipments are found, as their indexes have them. Searches look for their beginnings. */
export const searchTerms = [
  sql`lower(reference COLLATE "C")`,
  sql`lower((recipient ->> 'name') COLLATE "C")`,
  sql`lower(replace(recipient ->> 'postal_code', ' ', '') COLLATE "C")`,
] as const;

/** The prefixes to look for in each of them. */
export function beginningsOf(text: string): string[][] {
  const spellings = spellingsOf(text);
  const unspaced = text.replaceAll(" ", "");
  return [spellings, spellings, unspaced === "" ? [] : spellingsOf(unspaced)];
}

const CAPITALS = /[A-Z]/g;
const OTHERS = /[^\0-\x7f]/gu;

/**
 * The usual ways to capitalize a text: all lower case, first letters upper case, all upper case. The indexes ignore the case of A to Z
 * only, because servers differ in other letters. So one spelling is enough for most texts.
 */
function spellingsOf(text: string): string[] {
  const folded = text.replace(CAPITALS, (letter) => letter.toLowerCase());
  const large = folded.replace(OTHERS, (letter) => oneOf(letter.toUpperCase(), letter));
  const small = folded.replace(OTHERS, (letter) => oneOf(letter.toLowerCase(), letter));
  const titled = small.replace(/(?<=^|[\s\-'’.(])[^\0-\x7f]/gu, (letter) => oneOf(letter.toUpperCase(), letter));
  return [...new Set([folded, small, titled, large])];
}

// `ß` has no upper-case letter of its own, and `İ` no lower-case one.
function oneOf(changed: string, letter: string): string {
  return [...changed].length === 1 ? changed : letter;
}
