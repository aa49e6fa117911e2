import type PDFDocument from "pdfkit";
import type { LetterFont } from "./open-font.js";

export type PdfPage = typeof PDFDocument.prototype;

/** A font that a page embeds: its name there, and the numbers of its glyphs. */
export interface CarriedFont {
  name: string;
  /** The glyph's number on this page, from 1. */
  glyphNumber(id: number): number;
  ids: Map<number, number>;
}

const carried = new WeakMap<PdfPage, Map<LetterFont, CarriedFont>>();

export function carryFont(page: PdfPage, font: LetterFont): CarriedFont {
  const fonts = carried.get(page) ?? new Map<LetterFont, CarriedFont>();
  carried.set(page, fonts);
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

/** Writes the fonts with the glyphs used (PDF 1.7, 9.7); by hand, because pdfkit would parse and shape everything again. */
export function endFonts(page: PdfPage): void {
  for (const [font, { name, ids }] of carried.get(page) ?? []) {
    const { file, widths, box, ascent, descent, capHeight, ...subset } = font.subset([...ids.keys()]);
    const baseFont = `${"ABCDEFGHIJ"[Number(name.at(-1))]}LABEL+${subset.name}`;
    const fontFile = page.ref({});
    fontFile.end(Buffer.from(file));
    const metrics = { FontBBox: box, ItalicAngle: 0, Ascent: ascent, Descent: descent, CapHeight: capHeight, StemV: 0 };
    const descriptor = page.ref({
      Type: "FontDescriptor",
      FontName: baseFont,
      Flags: 4,
      ...metrics,
      FontFile2: fontFile,
    });
    descriptor.end(null);
    const descendant = page.ref({
      Type: "Font",
      Subtype: "CIDFontType2",
      BaseFont: baseFont,
      // pdfkit writes a primitive as a name, and these must be strings.
      CIDSystemInfo: { Registry: new String("Adobe"), Ordering: new String("Identity"), Supplement: 0 },
      FontDescriptor: descriptor,
      W: [1, widths],
      CIDToGIDMap: "Identity",
    });
    descendant.end(null);
    const composite = page.ref({
      Type: "Font",
      Subtype: "Type0",
      BaseFont: baseFont,
      Encoding: "Identity-H",
      DescendantFonts: [descendant],
    });
    page.page.fonts[name] = composite;
    composite.end(null);
  }
}
