import { isShaped } from "./letters/open-font.js";
import { setLine } from "./letters/set-line.js";
import { advance, type StandardFace } from "./letters/standard-font.js";

/** The typeface of a text: a standard font of PDF, or the font of its own letters, which the label embeds. */
export type Face = StandardFace | "Letters" | "Letters-Bold";

/** A text whose letters are measured. */
export interface Ruler {
  /**
   * Returns the end of the last letter that fits into the width, relative to the size and counted from `start`; if none fits, the end of
   * the first letter.
   */
  fit(start: number, width: number): number;
}

// Sums of widths differ in their last digits, hence the tolerance.
const ROUNDING = 1e-9;
const segments = new Intl.Segmenter("en");

export function isStandard(face: Face): face is StandardFace {
  return face === "Helvetica" || face === "Helvetica-Bold";
}

/** Returns the width of a line in points. */
export function textWidth(text: string, face: Face, size: number): number {
  if (!isStandard(face)) return setLine(text).width * size;
  let width = 0;
  for (let index = 0; index < text.length; index++) width += advance(face, text.charCodeAt(index));
  return width * size;
}

/** Measures a text once, for every size in which it may be set. */
export function measureText(text: string, face: Face): Ruler {
  // Most texts fit into one line, which needs no measures of their letters.
  const whole = isStandard(face) ? textWidth(text, face, 1) : Number.POSITIVE_INFINITY;
  let measures: Ends | undefined;
  return {
    fit(start, width) {
      if (start === 0 && whole <= width + ROUNDING) return text.length;
      measures ??= isStandard(face) ? standardEnds(text, face) : letterEnds(text);
      const [ends, widths] = measures;
      const first = ends.indexOf(start) + 1;
      const most = (widths[first - 1] ?? 0) + width + ROUNDING;
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

/** The ends of a text's letters, and the widths up to them, relative to the size. */
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

/** Measures words as they are drawn. Within a word whose letters are joined, every letter counts the same. */
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
