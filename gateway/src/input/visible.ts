// Characters that change the direction of the text around them, or that are invisible.
const HIDDEN = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A text with its invisible characters written out, for instance as `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replace(
    HIDDEN,
    (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}
