import { hasPostalCode } from "@shipping/kit/postal/address-lines";
import type { Address } from "@shipping/proto/shipping/records/v1/records_pb";
import { code128 } from "./code-128.js";
import { dataMatrix, MATRIX_SIDE } from "./data-matrix.js";
import type { Page } from "./letters/carry-font.js";
import { transliterated } from "./letters/standard-font.js";

// The size of one dot of a 203 dpi printer, in points.
const DOT = 72 / 203;
const LINEAR_MODULE = 3 * DOT;
const LINEAR_QUIET = 10;
// A module of four dots has 0.5 mm.
const MATRIX_MODULE = 4 * DOT;

/** Draws the text in Code 128, around `center` and at most as wide as `room`, including the quiet zones. */
export function drawLinear(
  page: Page,
  text: string,
  { center, top, height, room }: { center: number; top: number; height: number; room: number },
): void {
  const widths = code128(text);
  let bars = "";
  let modules = 0;
  for (let index = 0; index < widths.length; index++) {
    const width = Number(widths[index]);
    if (index % 2 === 0) bars += `${modules} 0 ${width} 1 re\n`;
    modules += width;
  }
  const module = Math.min(LINEAR_MODULE, room / (modules + 2 * LINEAR_QUIET));
  fillBars(page, bars, { left: center - (modules * module) / 2, top, width: module, height });
}

/** Draws the text as a Data Matrix symbol (ISO/IEC 16022) in the middle of a cell, which must leave a quiet zone of one module. */
export function drawMatrix(page: Page, text: string, center: { x: number; y: number }): void {
  const modules = dataMatrix(text);
  let bars = "";
  for (let row = 0; row < MATRIX_SIDE; row++) {
    const start = row * MATRIX_SIDE;
    for (let x = 0; x < MATRIX_SIDE; x++) {
      const first = x;
      while (x < MATRIX_SIDE && modules[start + x] === 1) x++;
      if (x > first) bars += `${first} ${row} ${x - first} 1 re\n`;
    }
  }
  const half = (MATRIX_SIDE * MATRIX_MODULE) / 2;
  fillBars(page, bars, { left: center.x - half, top: center.y - half, width: MATRIX_MODULE, height: MATRIX_MODULE });
}

/** Fills all bars at once; they are rectangles in units of a module. This is the shortest form. */
function fillBars(
  page: Page,
  bars: string,
  { left, top, width, height }: { left: number; top: number; width: number; height: number },
): void {
  const matrix = [width, 0, 0, height, left, top].map((value) => Number(value.toFixed(5))).join(" ");
  page.content += `0 g\nq ${matrix} cm\n${bars}f Q\n`;
}

// The longest postal codes in use have ten characters. Twelve still fit into a symbol of 22 by 22 modules.
const MAX_POSTAL_CODE = 12;

/**
 * Returns the content of the 2D code: tracking number, country and postal code, separated by bars. An implausible or placeholder postal
 * code is left empty.
 */
export function matrixText(trackingNumber: string, to: Address): string {
  const postalCode = hasPostalCode(to) ? transliterated(to.postalCode).toUpperCase() : "";
  const known = postalCode.length <= MAX_POSTAL_CODE && /^[A-Z0-9 -]*$/.test(postalCode);
  return [trackingNumber, to.country, known ? postalCode : ""].join("|");
}
