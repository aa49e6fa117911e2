import type { Direction } from "./letters/open-font.js";
import { textDirection } from "./letters/set-line.js";
import { type Face, isStandard, measureText, type Ruler, textWidth } from "./ruler.js";

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

/** A line of a block, in the direction of its field; `baseline` is counted from the block's top, in points. */
export interface Line {
  text: string;
  direction: Direction;
  face: Face;
  size: number;
  baseline: number;
}

// The height of a line relative to its size, and the part of it above the baseline. Other scripts have taller letters, and marks above and
// below them.
const STANDARD = { leading: 1.16, ascent: 0.78 };
const LETTERS = { leading: 1.32, ascent: 0.94 };
const ELLIPSIS = "…";
const STEP = 0.5;
const MAX_ROWS = 6;

/** Sets the fields in the largest size that fits into the box. If none fits, cuts each field to the rows that fit in the smallest size. */
export function layOut(fields: Field[], box: Box): Line[] {
  const measured = fields.map((field) => ({
    ...field,
    direction: textDirection(field.text),
    ruler: measureText(field.text, field.face),
  }));
  for (let size = box.most; size > box.least; size -= STEP) {
    const lines = setFields(measured, size, Number.POSITIVE_INFINITY, box);
    if (blockHeight(lines) <= box.height) return lines;
  }
  for (let rows = MAX_ROWS; rows > 1; rows--) {
    const lines = setFields(measured, box.least, rows, box);
    if (blockHeight(lines) <= box.height) return lines;
  }
  return setFields(measured, box.least, 1, box);
}

/** Returns the largest size up to `most` in which the text fits into one line of that width. */
export function sizeFor(text: string, face: Face, most: number, width: number): number {
  return Math.min(most, width / textWidth(text, face, 1));
}

interface MeasuredField extends Field {
  direction: Direction;
  ruler: Ruler;
}

/** Returns the lines of the fields, up to the field that reaches below the box. */
function setFields(fields: MeasuredField[], blockSize: number, rows: number, box: Box): Line[] {
  const lines: Line[] = [];
  let top = 0;
  for (const field of fields) {
    const { direction, face, scale } = field;
    const size = blockSize * scale;
    const { ascent, leading } = lineMetrics(face);
    for (const row of wrap(field, box.width / size, rows)) {
      lines.push({ text: row, direction, face, size, baseline: top + size * ascent });
      top += size * leading;
    }
    if (top > box.height) break;
  }
  return lines;
}

function lineMetrics(face: Face): typeof STANDARD {
  return isStandard(face) ? STANDARD : LETTERS;
}

function blockHeight(lines: Line[]): number {
  const last = lines.at(-1);
  if (!last) return 0;
  const { ascent, leading } = lineMetrics(last.face);
  return last.baseline + last.size * (leading - ascent);
}

/** Breaks at spaces, or inside a word that is wider than a row. An ellipsis replaces the text that does not fit into the last row. */
function wrap({ text, face, ruler }: MeasuredField, width: number, rows: number): string[] {
  const lines: string[] = [];
  let start = 0;
  for (;;) {
    const fitting = ruler.fit(start, width);
    if (fitting >= text.length) return [...lines, text.slice(start)];
    if (lines.length === rows - 1) {
      const kept = ruler.fit(start, width - textWidth(ELLIPSIS, face, 1));
      return [...lines, text.slice(start, kept).trimEnd() + ELLIPSIS];
    }
    const space = text.lastIndexOf(" ", fitting);
    const end = space > start ? space : fitting;
    lines.push(text.slice(start, end));
    start = text[end] === " " ? end + 1 : end;
  }
}
