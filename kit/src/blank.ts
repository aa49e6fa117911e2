// U+2800, the Braille pattern without dots, is a symbol to Unicode.
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Returns true if nothing of a text can be seen: it has only white space, characters that are not displayed, and blanks. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}
