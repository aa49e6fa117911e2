import bwipjs from "bwip-js";
import { dataMatrix, MATRIX_SIDE } from "./data-matrix.js";
import type { PdfPage } from "./letters/carry-font.js";

// One dot of a 203 dpi printer, in points.
const DOT = 72 / 203;
const LINEAR_MODULE = 3 * DOT;
const LINEAR_QUIET = 10;
// 0.5 mm.
const MATRIX_MODULE = 4 * DOT;

/** Draws the text in Code 128, around `center` and at most as wide as `room`, including the quiet zones. */
export function drawLinear(
  page: PdfPage,
  text: string,
  { center, top, height, room }: { center: number; top: number; height: number; room: number },
): void {
  const widths = barWidths(text);
  const modules = widths.reduce((sum, width) => sum + width, 0);
  const module = Math.min(LINEAR_MODULE, room / (modules + 2 * LINEAR_QUIET));
  const bars: Bar[] = [];
  let x = 0;
  for (const [index, width] of widths.entries()) {
    if (index % 2 === 0) bars.push([x, 0, width]);
    x += width;
  }
  fillBars(page, bars, { left: center - (modules * module) / 2, top, width: module, height });
}

/** Draws the text as a Data Matrix symbol (ISO/IEC 16022) in the middle of a cell, which must leave a quiet zone of one module. */
export function drawMatrix(page: PdfPage, text: string, center: { x: number; y: number }): void {
  const bars = dataMatrix(text).flatMap((modules, row) =>
    Array.from(modules.matchAll(/1+/g), ({ index, 0: run }): Bar => [index, row, run.length]),
  );
  const half = (MATRIX_SIDE * MATRIX_MODULE) / 2;
  fillBars(page, bars, { left: center.x - half, top: center.y - half, width: MATRIX_MODULE, height: MATRIX_MODULE });
}

/** A bar, counted in modules and rows. */
type Bar = [x: number, row: number, width: number];

/**
 * Fills all bars at once, in units of a module. This is the shortest form, and most of pdfkit's work is the same for one rectangle as for a
 * hundred.
 */
function fillBars(
  page: PdfPage,
  bars: readonly Bar[],
  { left, top, width, height }: { left: number; top: number; width: number; height: number },
): void {
  const matrix = [width, 0, 0, height, left, top].map((value) => Number(value.toFixed(5))).join(" ");
  const rectangles = bars.map(([x, row, modules]) => `${x} ${row} ${modules} 1 re`);
  page.fillColor("black").addContent(`q ${matrix} cm\n${rectangles.join("\n")}\nf Q`);
}

/** Widths of bar, gap, bar … of a Code 128 symbol, in modules. */
function barWidths(text: string): number[] {
  // The named export `raw` of bwip-js 4.11 is another function than `raw` of its default export.
  const [symbol] = bwipjs.raw({ bcid: "code128", text });
  if (!symbol || !("sbs" in symbol)) throw new Error("bwip-js encoded no linear symbol");
  return symbol.sbs;
}
