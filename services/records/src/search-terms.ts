import sql from "sql-template-tag";

/** What orders and shipments are known by, as their indexes have it: the beginnings of these are searched. */
export const searchTerms = [
  sql`lower(reference COLLATE "C")`,
  sql`lower((recipient ->> 'name') COLLATE "C")`,
  sql`lower(replace(recipient ->> 'postal_code', ' ', '') COLLATE "C")`,
] as const;

/** The beginnings to look for in each of them. */
export function beginningsOf(text: string): string[][] {
  const spellings = spellingsOf(text);
  const unspaced = text.replaceAll(" ", "");
  return [spellings, spellings, unspaced === "" ? [] : spellingsOf(unspaced)];
}

const CAPITALS = /[A-Z]/g;
const OTHERS = /[^\0-\x7f]/gu;

/**
 * The spellings of a text in which people write capitals: all small, first letters large, all large. The indexes know only A to Z as
 * small and large letters, since beyond these servers differ, so one spelling is enough for most texts.
 */
function spellingsOf(text: string): string[] {
  const folded = text.replace(CAPITALS, (letter) => letter.toLowerCase());
  const large = folded.replace(OTHERS, (letter) => oneOf(letter.toUpperCase(), letter));
  const small = folded.replace(OTHERS, (letter) => oneOf(letter.toLowerCase(), letter));
  const titled = small.replace(/(?<=^|[\s\-'’.(])[^\0-\x7f]/gu, (letter) => oneOf(letter.toUpperCase(), letter));
  return [...new Set([folded, small, titled, large])];
}

// `ß` has no large letter of its own, and `İ` no small one.
function oneOf(changed: string, letter: string): string {
  return [...changed].length === 1 ? changed : letter;
}
