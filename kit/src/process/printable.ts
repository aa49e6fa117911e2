/** Characters that control the terminal that shows a text, or change the direction of the text around them. */
export const COMMANDING = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Writes these characters as JSON escapes, except line ends: a terminal shows them instead of obeying them. JSON keeps its value. */
export function printable(text: string): string {
  return text.replace(COMMANDING, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
