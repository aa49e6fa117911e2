import { type Box, type Field, layOut, sizeFor } from "./layout.js";
import { carryFont, type Page } from "./letters/carry-font.js";
import type { Direction, Glyph } from "./letters/open-font.js";
import { setLine } from "./letters/set-line.js";
import { type StandardFace, winAnsi } from "./letters/standard-font.js";
import { type Face, isStandard, textWidth } from "./ruler.js";

/** The style and place of a line: `x` is its left edge unless `align` says otherwise, all in points from the page's top left. */
export interface Style {
  x: number;
  baseline: number;
  face: Face;
  size: number;
  /** The direction of the text that the line is a part of. */
  direction?: Direction;
  /** The gray level, from 0 (black) to 1 (white); 0 unless given. */
  gray?: number;
  align?: "left" | "center" | "right";
}

export const REGULAR: StandardFace = "Helvetica";
export const BOLD: StandardFace = "Helvetica-Bold";

/** A page without content. Its x grows to the right and its y downwards. */
export function newPage(): Page {
  return { content: "", fonts: new Map() };
}

/** Writes a text on one line. Its face must have all its characters. */
export function write(page: Page, text: string, style: Style): void {
  const { x, baseline, face, size, gray = 0, align = "left" } = style;
  const left = x - { left: 0, center: 0.5, right: 1 }[align] * textWidth(text, face, size);
  page.content += `${gray} g\n`;
  if (isStandard(face)) {
    // The form turns the page upside down so that y grows downwards; the matrix turns the letters back.
    const matrix = `1 0 0 -1 ${points(left)} ${points(baseline)}`;
    page.content += `BT /${face} ${points(size)} Tf ${matrix} Tm ${literal(winAnsi(text))} Tj ET\n`;
  } else writeLetters(page, text, left, style);
}

/** Formats a length to the hundredth of a point. */
function points(length: number): number {
  return Math.round(length * 100) / 100;
}

/** Formats a string of PDF (PDF 1.7, 7.3.4.2). */
export function literal(text: string): string {
  return `(${text.replace(/[\\()]/g, "\\$&")})`;
}

// A bold letter is a regular one whose contour is drawn this wide, relative to the size. In smaller sizes, printers would draw it too wide.
const CONTOUR = 0.026;
const MIN_BOLD = 11;

/** Writes letters in the fonts that the label embeds. Their glyph numbers have no meaning outside it, so the text is added for copying. */
function writeLetters(page: Page, text: string, left: number, { baseline, face, size, direction }: Style): void {
  const spoken = Buffer.from(`\ufeff${text}`, "utf16le").swap16().toString("hex");
  const weight = face === "Letters-Bold" && size >= MIN_BOLD ? `1 j ${points(CONTOUR * size)} w 2 Tr` : "0 Tr";
  const parts = [`/Span <</ActualText <${spoken}>>> BDC q BT ${weight}`];
  for (const { font, glyphs, x, dy } of splitRuns(setLine(text, direction).glyphs)) {
    const { name, glyphNumber } = carryFont(page, font);
    const codes = glyphs.map(({ id }) => glyphNumber(id).toString(16).padStart(4, "0")).join("");
    const place = `${points(left + x * size)} ${points(baseline - dy * size)}`;
    parts.push(`/${name} ${points(size)} Tf 1 0 0 -1 ${place} Tm <${codes}> Tj`);
  }
  page.content += `${parts.join("\n")}\nET Q EMC\n`;
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
export function writeBlock(page: Page, fields: Field[], x: number, top: number, box: Box): void {
  for (const { text, direction, face, size: most, baseline } of layOut(fields, box)) {
    // If a word is broken, its joined letters may become a little wider.
    const size = sizeFor(text, face, most, box.width);
    const place = direction === "rtl" ? { x: x + box.width, align: "right" as const } : { x };
    write(page, text, { ...place, baseline: top + baseline, face, size, direction });
  }
}

/** Draws a part of the label. Content that would leave it, such as a high stack of marks on a letter, is cut off at its edges. */
export function drawInside(
  page: Page,
  { left, top, right, bottom }: { left: number; top: number; right: number; bottom: number },
  draw: () => void,
): void {
  page.content += `q\n${left} ${top} ${right - left} ${bottom - top} re\nW n\n`;
  draw();
  page.content += "Q\n";
}
