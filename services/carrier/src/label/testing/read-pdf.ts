import { inflateSync } from "node:zlib";
import { type Face, widthOf } from "../ruler.js";
import { setLine } from "../set-line.js";

/** What stands on a page that `pdf.ts` has drawn. */
export interface PageContent {
  pages: number;
  mediaBox: string | undefined;
  texts: { text: string; face: Face; size: number; x: number; baseline: number; width: number }[];
  rectangles: { x: number; y: number; width: number; height: number }[];
}

const TEXT =
  /BT \/(\S+) (\S+) Tf 1 0 0 -1 (\S+) (\S+) Tm <([0-9a-f]*)> Tj ET|\/Span <<\/ActualText <feff([0-9a-f]*)>>> BDC\n(?:q (\S+) 0 0 \S+ (\S+) (\S+) cm)?/g;
const RECTANGLE = /^(\S+) (\S+) (\S+) (\S+) re$/gm;

/** Reads a label back: its page, its texts with their places, and its rectangles, in the order in which they are drawn. */
export function readPdf(pdf: Uint8Array): PageContent {
  const source = Buffer.from(pdf).toString("latin1");
  const start = source.indexOf("stream\n") + "stream\n".length;
  const content = inflateSync(
    Buffer.from(source.slice(start, source.indexOf("\nendstream", start)), "latin1"),
  ).toString();
  return {
    pages: source.match(/\/Type \/Page\b/g)?.length ?? 0,
    mediaBox: /\/MediaBox \[([^\]]*)\]/.exec(source)?.[1],
    texts: [...content.matchAll(TEXT)].map(([, face, size, x, baseline, hex, spoken, ...drawn]) =>
      spoken === undefined
        ? written(decode(Buffer.from(hex!, "hex")), face as Face, [size, x, baseline].map(Number))
        : outlined(Buffer.from(spoken, "hex").swap16().toString("utf16le"), drawn.map(Number)),
    ),
    rectangles: [...content.matchAll(RECTANGLE)].map(([, x, y, width, height]) => ({
      x: Number(x),
      y: Number(y),
      width: Number(width),
      height: Number(height),
    })),
  };
}

type Text = PageContent["texts"][number];

function written(text: string, face: Face, [size = 0, x = 0, baseline = 0]: number[]): Text {
  return { text, face, size, x, baseline, width: widthOf(text, face, size) };
}

/** A text that is drawn in outlines, from the scale and the place of the first. */
function outlined(text: string, [scale = 0, x = 0, y = 0]: number[]): Text {
  const { glyphs } = setLine(text);
  const first = glyphs.findIndex(({ outline }) => outline !== "");
  const glyph = glyphs[first];
  if (!glyph) return written(text, "Letters", [0, x, y]);
  const size = scale * glyph.unitsPerSize;
  const before = glyphs.slice(0, first).reduce((sum, { advance }) => sum + advance, glyph.dx);
  return written(text, "Letters", [size, x - before * size, y + glyph.dy * size]);
}

// Only the characters above 0x7f that the tests use.
const HIGH = new Map([...[0x80, 0x85, 0x93, 0x94, 0x96, 0x97].entries()].map(([i, code]) => [code, "€…“”–—"[i]!]));

function decode(bytes: Buffer): string {
  return Array.from(bytes, (byte) => HIGH.get(byte) ?? String.fromCharCode(byte)).join("");
}
