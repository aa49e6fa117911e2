import { isBlank } from "@shipping/kit/blank";
import anyAscii from "any-ascii";
import PDFDocument from "pdfkit";

/** The standard fonts of PDF, which a label need not embed. */
export type StandardFace = "Helvetica" | "Helvetica-Bold";

// Both are encoded in WinAnsi, that is CP1252: Latin-1, except these characters from 0x80 (U+FFFD where it has none).
const FROM_0X80 = "€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ";
const NOT_WIN_ANSI = new RegExp(`[^\\x20-\\x7e\\xa0-\\xff${FROM_0X80.replaceAll("\ufffd", "")}]`, "gu");

/** Returns true if the standard fonts have every letter of the text. */
export function isWinAnsi(text: string): boolean {
  return text.search(NOT_WIN_ANSI) < 0;
}

// This includes the selectors of emoji and the frame of keycaps, but not letters of WinAnsi, such as the copyright sign.
const EMOJI =
  /(?![\xa9\xae\u2122])(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\ufe0f|\u20e3)/gu;

/** Removes emoji from the text, unless it has no other characters. */
export function withoutEmoji(text: string): string {
  const rest = text.replace(EMOJI, "");
  return isBlank(rest) ? text : rest;
}

/** The printed form of a text, or a question mark if there is none, so that no line of a label is missing. A blank text stays empty. */
export function orUnknown(printed: string, text: string): string {
  if (!isBlank(printed)) return printed;
  return isBlank(text) ? "" : "?";
}

// Most texts match: words of Latin-1 with single spaces between them, and without the soft hyphen and the two letters that can be emoji.
const PRINTABLE = /^[!-~\xa1-\xa8\xaa-\xac\xaf-\xff]+(?: [!-~\xa1-\xa8\xaa-\xac\xaf-\xff]+)*$/;

/**
 * Puts the text on one line and in WinAnsi characters: white space is collapsed, emoji are left out, other characters are transliterated, and
 * `?` is what is left of a text that cannot be.
 */
export function transliterated(text: string): string {
  if (PRINTABLE.test(text)) return text;
  const printed = withoutEmoji(text)
    .normalize("NFC")
    .replace(/\p{Cf}/gu, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(NOT_WIN_ANSI, (character) => anyAscii(character))
    // Spaces are collapsed again, because removed characters can leave two of them side by side.
    .replace(/ +/g, " ")
    .trim();
  return orUnknown(printed, text);
}

/** Returns a transliterated text with a character for each byte of its encoding. */
export function winAnsi(text: string): string {
  return text.replace(/[^\0-\xff]/g, (character) => String.fromCharCode(0x80 + FROM_0X80.indexOf(character)));
}

export function advance(face: StandardFace, code: number): number {
  return advances[face][code] ?? 0;
}

const advances: Record<StandardFace, Float64Array> = {
  Helvetica: measure("Helvetica"),
  "Helvetica-Bold": measure("Helvetica-Bold"),
};

/** Advances by UTF-16 code, relative to the size, taken from pdfkit's metrics once. */
function measure(face: StandardFace): Float64Array {
  const document = new PDFDocument({ font: face }).fontSize(1000);
  const highest = Math.max(...Array.from(FROM_0X80.replaceAll("\ufffd", ""), (character) => character.charCodeAt(0)));
  return Float64Array.from(
    { length: highest + 1 },
    (_, code) => document.widthOfString(String.fromCharCode(code)) / 1000,
  );
}
