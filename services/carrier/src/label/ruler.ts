import { isShaped } from "./letters/open-font.js";
import { setLine } from "./letters/set-line.js";
import { advance, type StandardFace } from "./letters/standard-font.js";

/** How a text is set: in a standard font of PDF, or in its own letters, whose font the label embeds. */
export type Face = StandardFace | "Letters" | "Letters-Bold";

/** The widths of a text's parts, relative to its size. */
export interface Ruler {
  width(start: number, end: number): number;
  /** The end of the last letter that fits into the width, counted from `start`; if none fits, the end of the first letter. */
  fit(start: number, width: number): number;
}

// Sums of widths differ in their last digits.
const ROUNDING = 1e-9;
const segments = new Intl.Segmenter("en");

export function isStandard(face: Face): face is StandardFace {
  return face === "Helvetica" || face === "Helvetica-Bold";
}

/** Width of a line in points. */
export function textWidth(text: string, face: Face, size: number): number {
  if (!isStandard(face)) return setLine(text).width * size;
  let width = 0;
  for (let index = 0; index < text.length; index++) width += advance(face, text.charCodeAt(index));
  return width * size;
}

/** Measures a text once, for every size in which it may be set. */
export function measureText(text: string, face: Face): Ruler {
  const [ends, widths] = isStandard(face) ? standardEnds(text, face) : letterEnds(text);
  const placeOf = new Map(ends.map((end, place) => [end, place]));
  const before = (index: number) => widths[placeOf.get(index) ?? -1] ?? 0;
  return {
    width: (start, end) => before(end) - before(start),
    fit(start, width) {
      const most = before(start) + width + ROUNDING;
      const first = (placeOf.get(start) ?? -1) + 1;
      let low = first;
      let high = ends.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((widths[middle] ?? 0) <= most) low = middle + 1;
        else high = middle;
      }
      return ends[Math.max(low - 1, first)] ?? text.length;
    },
  };
}

type Ends = [ends: number[], widths: number[]];

function standardEnds(text: string, face: StandardFace): Ends {
  const ends: number[] = [];
  const widths: number[] = [];
  let width = 0;
  for (let index = 0; index < text.length; index++) {
    width += advance(face, text.charCodeAt(index));
    ends.push(index + 1);
    widths.push(width);
  }
  return [ends, widths];
}

/** Words are measured as they are drawn. Within a word whose letters are joined, every letter counts the same. */
function letterEnds(text: string): Ends {
  const ends: number[] = [];
  const widths: number[] = [];
  let width = 0;
  let offset = 0;
  for (const word of text.split(/(?<= )/)) {
    const share = isShaped(word) ? setLine(word).width / word.length : undefined;
    for (const { index, segment } of segments.segment(word)) {
      width += share === undefined ? setLine(segment).width : share * segment.length;
      ends.push(offset + index + segment.length);
      widths.push(width);
    }
    offset += word.length;
  }
  return [ends, widths];
}
