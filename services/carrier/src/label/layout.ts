import { countFitting, type Face, widthOf } from "./font.js";

/** A printable text to lay out: its size is that of the block times `scale`. */
export interface Field {
  text: string;
  face: Face;
  scale: number;
}

/** The space for a block, in points, and the range of its text sizes. */
export interface Box {
  width: number;
  height: number;
  most: number;
  least: number;
}

/** A line of a block; `baseline` is counted from the block's top, in points. */
export interface Line {
  text: string;
  face: Face;
  size: number;
  baseline: number;
}

// In parts of a line's size: its height, and the part of that above the baseline.
const LEADING = 1.16;
const ASCENT = 0.78;
const ELLIPSIS = "…";
const STEP = 0.5;
const MOST_ROWS = 6;

/** Sets the fields in the largest size that fits into the box; where none does, cuts each to as many rows as fit in the least. */
export function layOut(fields: Field[], box: Box): Line[] {
  for (let size = box.most; size > box.least; size -= STEP) {
    const lines = setFields(fields, size, Number.POSITIVE_INFINITY, box);
    if (heightOf(lines) <= box.height) return lines;
  }
  for (let rows = MOST_ROWS; rows > 1; rows--) {
    const lines = setFields(fields, box.least, rows, box);
    if (heightOf(lines) <= box.height) return lines;
  }
  return setFields(fields, box.least, 1, box);
}

/** The largest size up to `most` in which the text fits into one line of that width. */
export function sizeFor(text: string, face: Face, most: number, width: number): number {
  return Math.min(most, width / widthOf(text, face, 1));
}

/** The lines of the fields, up to the field that reaches below the box. */
function setFields(fields: Field[], blockSize: number, rows: number, box: Box): Line[] {
  const lines: Line[] = [];
  let top = 0;
  for (const { text, face, scale } of fields) {
    const size = blockSize * scale;
    for (const row of wrap(text, face, size, box.width, rows)) {
      lines.push({ text: row, face, size, baseline: top + size * ASCENT });
      top += size * LEADING;
    }
    if (top > box.height) break;
  }
  return lines;
}

function heightOf(lines: Line[]): number {
  const last = lines.at(-1);
  return last ? last.baseline + last.size * (LEADING - ASCENT) : 0;
}

/** Breaks at spaces, or inside a word that is wider than a row; what the last row cannot hold gives way to an ellipsis. */
function wrap(text: string, face: Face, size: number, width: number, rows: number): string[] {
  const lines: string[] = [];
  let rest = text;
  for (;;) {
    const count = countFitting(rest, face, size, width);
    if (count === rest.length) return [...lines, rest];
    if (lines.length === rows - 1) {
      const kept = countFitting(rest, face, size, width - widthOf(ELLIPSIS, face, size));
      return [...lines, rest.slice(0, kept).trimEnd() + ELLIPSIS];
    }
    const space = rest.lastIndexOf(" ", count);
    const end = space > 0 ? space : count;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
}
