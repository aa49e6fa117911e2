import anyAscii from "any-ascii";
import PDFDocument from "pdfkit";

/** The faces of a label. They are among the standard fonts of PDF, so that no label has to carry its own. */
export type Face = "Helvetica" | "Helvetica-Bold";

// Both are encoded in WinAnsi, that is CP1252: Latin-1, but for these from 0x80 (U+FFFD where it has nothing).
const FROM_0X80 = "€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ";
const NOT_WIN_ANSI = new RegExp(`[^\\x20-\\x7e\\xa0-\\xff${FROM_0X80.replaceAll("\ufffd", "")}]`, "gu");

/** Whether the standard fonts have every letter of the text. */
export function isWinAnsi(text: string): boolean {
  return text.search(NOT_WIN_ANSI) < 0;
}

/** The text on one line and in characters of WinAnsi: white space collapsed, whatever else is foreign transliterated. */
export function printable(text: string): string {
  return (
    text
      .normalize("NFC")
      .replace(/\p{Cf}/gu, "")
      .replace(/[\s\p{Cc}]+/gu, " ")
      .replace(NOT_WIN_ANSI, (character) => anyAscii(character))
      // Once more: what has no counterpart has gone, and what was around it meets.
      .replace(/ +/g, " ")
      .trim()
  );
}

/** The bytes of a printable text. */
export function winAnsi(text: string): Buffer {
  const codes = text.replace(/[^\0-\xff]/g, (character) => String.fromCharCode(0x80 + FROM_0X80.indexOf(character)));
  return Buffer.from(codes, "latin1");
}

/** Width of a printable text in points. */
export function widthOf(text: string, face: Face, size: number): number {
  let width = 0;
  for (let index = 0; index < text.length; index++) width += advance(face, text.charCodeAt(index));
  return (width * size) / 1000;
}

/** How many of the text's first characters fit into the width. */
export function countFitting(text: string, face: Face, size: number, width: number): number {
  let left = (width * 1000) / size;
  for (let index = 0; index < text.length; index++) {
    left -= advance(face, text.charCodeAt(index));
    if (left < 0) return index;
  }
  return text.length;
}

function advance(face: Face, code: number): number {
  return advances[face][code] ?? 0;
}

const advances: Record<Face, Float32Array> = {
  Helvetica: measure("Helvetica"),
  "Helvetica-Bold": measure("Helvetica-Bold"),
};

/** Advances by UTF-16 code in thousandths of the size, taken from pdfkit's metrics once. */
function measure(face: Face): Float32Array {
  const document = new PDFDocument({ font: face }).fontSize(1000);
  const highest = Math.max(...Array.from(FROM_0X80.replaceAll("\ufffd", ""), (character) => character.charCodeAt(0)));
  return Float32Array.from({ length: highest + 1 }, (_, code) => document.widthOfString(String.fromCharCode(code)));
}
