/** Characters by which a text commands the terminal that shows it, or turns the direction of the text around it. */
export const COMMANDING = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text with these written out as JSON writes them, but for the ends of lines: a terminal shows it and does not obey it. JSON keeps its value. */
export function printable(text: string): string {
  return text.replace(COMMANDING, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
