import PDFDocument from "pdfkit";
import { type Box, type Field, layOut, sizeFor } from "./layout.js";
import { carryFont, endFonts, type PdfPage } from "./letters/carry-font.js";
import type { Direction, Glyph } from "./letters/open-font.js";
import { setLine } from "./letters/set-line.js";
import { type StandardFace, winAnsi } from "./letters/standard-font.js";
import { type Face, isStandard, textWidth } from "./ruler.js";

/** How and where a line is written: `x` is its left edge unless `align` says otherwise, all in points from the page's top left. */
export interface Style {
  x: number;
  baseline: number;
  face: Face;
  size: number;
  /** Of the text that the line is a part of. */
  direction?: Direction;
  /** From 0, black, to 1, white; 0 unless given. */
  gray?: number;
  align?: "left" | "center" | "right";
}

export const REGULAR: StandardFace = "Helvetica";
export const BOLD: StandardFace = "Helvetica-Bold";

/** Opens a document of one page. Nothing in it depends on the clock. */
export function openPage(options: { size: [number, number]; title: string; createdAt: Date }): PdfPage {
  const info = { Title: options.title, CreationDate: options.createdAt };
  const page = new PDFDocument({ size: options.size, margin: 0, font: "", info });
  collectContent(page);
  printAtActualSize(page);
  // Declared by hand: pdfkit's `font` parses the metrics anew for every document, which costs more than all the rest.
  for (const face of [REGULAR, BOLD]) {
    const font = page.ref({ Type: "Font", Subtype: "Type1", BaseFont: face, Encoding: "WinAnsiEncoding" });
    page.page.fonts[face] = font;
    font.end(null);
  }
  return page;
}

// A label that a viewer fits to the page has bars that scanners may not read. pdfkit offers no name for this entry (PDF 1.6, 8.1),
// and ends the reference together with the document.
function printAtActualSize(page: PdfPage): void {
  const { _root: catalog } = page as PdfPage & { _root: { data: Record<string, unknown> } };
  catalog.data.ViewerPreferences = page.ref({ PrintScaling: "None" });
}

/** What has been drawn on a page so far, as operators of PDF. */
const contents = new WeakMap<PdfPage, string[]>();

// pdfkit makes bytes of each operator and joins them in the end, which takes several times as long as joining texts.
function collectContent(page: PdfPage): void {
  const content: string[] = [];
  contents.set(page, content);
  page.addContent = (operators: string) => {
    content.push(operators);
    return page;
  };
}

/** Writes a text on one line. Its face must have all its characters. */
export function write(page: PdfPage, text: string, style: Style): void {
  const { x, baseline, face, size, gray = 0, align = "left" } = style;
  const left = x - { left: 0, center: 0.5, right: 1 }[align] * textWidth(text, face, size);
  page.addContent(`${gray} g`);
  if (isStandard(face)) {
    // pdfkit turns the page upside down so that y grows downwards; the matrix turns the letters back.
    const matrix = `1 0 0 -1 ${left.toFixed(2)} ${baseline.toFixed(2)}`;
    page.addContent(`BT /${face} ${size.toFixed(2)} Tf ${matrix} Tm <${winAnsi(text).toString("hex")}> Tj ET`);
  } else writeLetters(page, text, left, style);
}

// A bold letter is a regular one whose contour is drawn this wide, relative to the size. In smaller sizes, printers would draw it too wide.
const CONTOUR = 0.026;
const MIN_BOLD = 11;

/** Writes letters in the fonts that the label embeds. Their glyph numbers have no meaning outside it, so the text is added for copying. */
function writeLetters(page: PdfPage, text: string, left: number, { baseline, face, size, direction }: Style): void {
  const spoken = Buffer.from(`\ufeff${text}`, "utf16le").swap16().toString("hex");
  const weight = face === "Letters-Bold" && size >= MIN_BOLD ? `1 j ${(CONTOUR * size).toFixed(2)} w 2 Tr` : "0 Tr";
  const parts = [`/Span <</ActualText <${spoken}>>> BDC q BT ${weight}`];
  for (const { font, glyphs, x, dy } of splitRuns(setLine(text, direction).glyphs)) {
    const { name, glyphNumber } = carryFont(page, font);
    const codes = glyphs.map(({ id }) => glyphNumber(id).toString(16).padStart(4, "0")).join("");
    const place = `${(left + x * size).toFixed(2)} ${(baseline - dy * size).toFixed(2)}`;
    parts.push(`/${name} ${size.toFixed(2)} Tf 1 0 0 -1 ${place} Tm <${codes}> Tj`);
  }
  page.addContent(`${parts.join("\n")}\nET Q EMC`);
}

type GlyphRun = Pick<Glyph, "font" | "dy"> & { glyphs: Glyph[]; x: number };

/** Splits the glyphs into runs of one font in which each glyph begins where the previous one ends by the font's own widths. */
function splitRuns(glyphs: readonly Glyph[]): GlyphRun[] {
  const runs: GlyphRun[] = [];
  let x = 0;
  let end = 0;
  for (const glyph of glyphs) {
    const last = runs.at(-1);
    const at = x + glyph.dx;
    if (last && last.font === glyph.font && last.dy === glyph.dy && Math.abs(at - end) < 1e-6) last.glyphs.push(glyph);
    else runs.push({ font: glyph.font, glyphs: [glyph], x: at, dy: glyph.dy });
    x += glyph.advance;
    end = at + glyph.font.glyphWidth(glyph.id);
  }
  return runs;
}

/** Writes fields as a block, as large as its box allows. A text that is read from the right is aligned to the right. */
export function writeBlock(page: PdfPage, fields: Field[], x: number, top: number, box: Box): void {
  for (const { text, direction, face, size: most, baseline } of layOut(fields, box)) {
    // If a word is broken, its joined letters may become a little wider.
    const size = sizeFor(text, face, most, box.width);
    const place = direction === "rtl" ? { x: x + box.width, align: "right" as const } : { x };
    write(page, text, { ...place, baseline: top + baseline, face, size, direction });
  }
}

/** Draws a part of the label. Whatever would leave it, such as a high stack of marks on a letter, is cut off at its edges. */
export function drawInside(
  page: PdfPage,
  { left, top, right, bottom }: { left: number; top: number; right: number; bottom: number },
  draw: () => void,
): void {
  page
    .save()
    .rect(left, top, right - left, bottom - top)
    .clip();
  draw();
  page.restore();
}

export function writeCaption(page: PdfPage, text: string, x: number, top: number): void {
  write(page, text, { x, baseline: top + 9, face: REGULAR, size: 6, gray: 0.2 });
}

export function closePage(page: PdfPage): Promise<Uint8Array> {
  page.page.write(Buffer.from(contents.get(page)?.join("\n") ?? "", "latin1"));
  endFonts(page);
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    page.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    page.on("end", () => resolve(Buffer.concat(chunks)));
    page.on("error", reject);
    page.end();
  });
}
