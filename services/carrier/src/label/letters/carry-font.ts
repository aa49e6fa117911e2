import type { LetterFont } from "./open-font.js";

/** The drawing on a page: operators of PDF, each on a line, and the fonts that it embeds. */
export interface Page {
  content: string;
  fonts: Map<LetterFont, CarriedFont>;
}

/** A font that a page embeds: its name there, and the numbers of its glyphs. */
export interface CarriedFont {
  name: string;
  /** Returns the glyph's number on this page, from 1. */
  glyphNumber(id: number): number;
  ids: Map<number, number>;
}

export function carryFont({ fonts }: Page, font: LetterFont): CarriedFont {
  const known = fonts.get(font);
  if (known) return known;
  const ids = new Map<number, number>();
  const glyphNumber = (id: number) => {
    const code = ids.get(id) ?? ids.size + 1;
    ids.set(id, code);
    return code;
  };
  const entry = { name: `Letters${fonts.size + 1}`, glyphNumber, ids };
  fonts.set(font, entry);
  return entry;
}

/** The file that a page's fonts are added to. Both functions return the file's reference to the added object. */
interface FontFile {
  add(dictionary: string): string;
  addStream(bytes: Uint8Array): string;
}

/** Adds the fonts with the glyphs used (PDF 1.7, 9.7), and returns the entries of the page's resources. */
export function addFonts({ fonts }: Page, file: FontFile): string[] {
  return Array.from(fonts, ([font, { name, ids }]) => {
    const { file: bytes, widths, box, ascent, descent, capHeight, ...subset } = font.subset([...ids.keys()]);
    const baseFont = `${"ABCDEFGHIJ"[Number(name.at(-1))]}LABEL+${subset.name}`;
    const metrics = `/FontBBox [${box.join(" ")}] /ItalicAngle 0 /Ascent ${ascent} /Descent ${descent} /CapHeight ${capHeight} /StemV 0`;
    const descriptor = file.add(
      `/Type /FontDescriptor /FontName /${baseFont} /Flags 4 ${metrics} /FontFile2 ${file.addStream(bytes)}`,
    );
    const system = "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>";
    const glyphs = `/W [1 [${widths.join(" ")}]] /CIDToGIDMap /Identity`;
    const descendant = file.add(
      `/Type /Font /Subtype /CIDFontType2 /BaseFont /${baseFont} ${system} /FontDescriptor ${descriptor} ${glyphs}`,
    );
    const composite = file.add(
      `/Type /Font /Subtype /Type0 /BaseFont /${baseFont} /Encoding /Identity-H /DescendantFonts [${descendant}]`,
    );
    return `/${name} ${composite}`;
  });
}
