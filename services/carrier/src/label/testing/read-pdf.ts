import { inflateSync } from "node:zlib";
import { setLine } from "../letters/set-line.js";
import { type Face, textWidth } from "../ruler.js";

/** The content of a page that `pdf.ts` has drawn. */
export interface PageContent {
  pages: number;
  mediaBox: string | undefined;
  texts: { text: string; face: Face; size: number; x: number; baseline: number; width: number }[];
  rectangles: { x: number; y: number; width: number; height: number }[];
}

const TEXT =
  /BT \/(\S+) (\S+) Tf 1 0 0 -1 (\S+) (\S+) Tm \(((?:[^\\()]|\\.)*)\) Tj ET|ActualText <feff([0-9a-f]*)>>> BDC [^\n]*(?:\n\/\S+ (\S+) Tf 1 0 0 -1 (\S+) (\S+) Tm)?/g;
// Codes are drawn in units of a module, which the matrix before them defines.
const RECTANGLE = /^(?:q (\S+) 0 0 (\S+) (\S+) (\S+) cm|(\S+) (\S+) (\S+) (\S+) re|f Q)$/gm;

/** Reads a label back: its page, its texts with their places, and its rectangles, in the order in which they are drawn. */
export function readPdf(pdf: Uint8Array): PageContent {
  const source = Buffer.from(pdf).toString("latin1");
  const content = operatorsIn(pdf);
  return {
    pages: source.match(/\/Type \/Page\b/g)?.length ?? 0,
    mediaBox: /\/MediaBox \[([^\]]*)\]/.exec(source)?.[1],
    texts: [...content.matchAll(TEXT)].map(([, face, size, x, baseline, literal, spoken, ...drawn]) =>
      spoken === undefined
        ? written(decode(literal!.replace(/\\(.)/g, "$1")), face as Face, [size, x, baseline].map(Number))
        : carried(Buffer.from(spoken, "hex").swap16().toString("utf16le"), drawn.map(Number)),
    ),
    rectangles: rectanglesIn(content),
  };
}

/** The operators of a page, one a line: those of the form come first, then those of the content that is drawn on it. */
export function operatorsIn(pdf: Uint8Array): string {
  const source = Buffer.from(pdf).toString("latin1");
  const streams = [...source.matchAll(/stream\n(.*?)\nendstream/gs)].map(([, body]) =>
    inflateSync(Buffer.from(body!, "latin1")).toString("latin1"),
  );
  return streams.filter((stream) => stream.includes("BT ")).join("\n");
}

function rectanglesIn(content: string): PageContent["rectangles"] {
  const plain = [1, 1, 0, 0];
  let matrix = plain;
  return [...content.matchAll(RECTANGLE)].flatMap(([line, a, d, e, f, ...rectangle]) => {
    if (a !== undefined) matrix = [a, d, e, f].map(Number);
    if (line === "f Q") matrix = plain;
    if (rectangle[0] === undefined) return [];
    const [x = 0, y = 0, width = 0, height = 0] = rectangle.map(Number);
    const [across = 1, down = 1, left = 0, top = 0] = matrix;
    return [{ x: left + x * across, y: top + y * down, width: width * across, height: height * down }];
  });
}

type Text = PageContent["texts"][number];

function written(text: string, face: Face, [size = 0, x = 0, baseline = 0]: number[]): Text {
  return { text, face, size, x, baseline, width: textWidth(text, face, size) };
}

/** A text in a font that the page embeds. It begins where its first glyph does, except for that glyph's own offset. */
function carried(text: string, [size = 0, x = 0, y = 0]: number[]): Text {
  const { dx = 0, dy = 0 } = setLine(text).glyphs[0] ?? {};
  return written(text, "Letters", [size, x - dx * size, y + dy * size]);
}

// The table has only the characters above 0x7f that the tests use.
const HIGH = new Map([0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97].map((code, i) => [code, "€…‘’“”–—"[i]!]));

export function decode(bytes: string): string {
  return Array.from(bytes, (byte) => HIGH.get(byte.charCodeAt(0)) ?? byte).join("");
}
