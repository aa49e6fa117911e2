import bwipjs from "bwip-js";
import type { PdfPage } from "./letters/carry-font.js";

// One dot of a 203 dpi printer, in points.
const DOT = 72 / 203;
const LINEAR_MODULE = 3 * DOT;
const LINEAR_QUIET = 10;
// 0.5 mm.
const MATRIX_MODULE = 4 * DOT;
// Modules of a side: the size that holds the longest text there is, so that the symbol of every label has the same.
const MATRIX_SIDE = 22;

/** Draws the text in Code 128, around `center` and at most as wide as `room`, in which the quiet zones are. */
export function drawLinear(
  page: PdfPage,
  text: string,
  { center, top, height, room }: { center: number; top: number; height: number; room: number },
): void {
  const widths = barWidths(text);
  const modules = widths.reduce((sum, width) => sum + width, 0);
  const module = Math.min(LINEAR_MODULE, room / (modules + 2 * LINEAR_QUIET));
  const bars: Bar[] = [];
  let x = center - (modules * module) / 2;
  for (const [index, width] of widths.entries()) {
    if (index % 2 === 0) bars.push([x, top, width * module, height]);
    x += width * module;
  }
  fillBars(page, bars);
}

/** Draws the text as a Data Matrix symbol (ISO/IEC 16022) in the middle of a cell, which must leave it a quiet zone of a module. */
export function drawMatrix(page: PdfPage, text: string, center: { x: number; y: number }): void {
  const left = center.x - (MATRIX_SIDE * MATRIX_MODULE) / 2;
  const top = center.y - (MATRIX_SIDE * MATRIX_MODULE) / 2;
  const bars = matrixRows(text).flatMap((modules, row) =>
    Array.from(modules.matchAll(/1+/g), ({ index, 0: run }): Bar => {
      const [x, y] = [left + index * MATRIX_MODULE, top + row * MATRIX_MODULE];
      return [x, y, run.length * MATRIX_MODULE, MATRIX_MODULE];
    }),
  );
  fillBars(page, bars);
}

type Bar = [x: number, y: number, width: number, height: number];

/** Fills all at once: of pdfkit's work, most is the same for a rectangle and for a hundred. */
function fillBars(page: PdfPage, bars: readonly Bar[]): void {
  const rectangles = bars.map((bar) => `${bar.map((value) => Number(value.toFixed(3))).join(" ")} re`);
  page.fillColor("black").addContent(`${rectangles.join("\n")}\nf`);
}

/** Widths of bar, gap, bar … of a Code 128 symbol, in modules. */
function barWidths(text: string): number[] {
  // The named export `raw` of bwip-js 4.11 is another function than `raw` of its default export.
  const [symbol] = bwipjs.raw({ bcid: "code128", text });
  if (!symbol || !("sbs" in symbol)) throw new Error("bwip-js encoded no linear symbol");
  return symbol.sbs;
}

/** The rows of a Data Matrix symbol, a `1` for each dark module and a `0` for each light one. */
function matrixRows(text: string): string[] {
  // The types of bwip-js 4.11 know no option of a single kind of code.
  const options = { bcid: "datamatrix", text, version: `${MATRIX_SIDE}x${MATRIX_SIDE}` };
  const [symbol] = bwipjs.raw(options);
  if (!symbol || !("pixs" in symbol)) throw new Error("bwip-js encoded no matrix");
  const modules = symbol.pixs.join("");
  return Array.from({ length: MATRIX_SIDE }, (_, row) => modules.slice(row * MATRIX_SIDE, (row + 1) * MATRIX_SIDE));
}
