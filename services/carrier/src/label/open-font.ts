import { readFileSync } from "node:fs";
import { create, type Font, type Glyph as FontGlyph } from "fontkit";

/** A glyph to draw: its outline in units of which the text's size has `unitsPerSize`, and its place and advance in parts of the size. */
export interface Glyph {
  outline: string;
  unitsPerSize: number;
  advance: number;
  dx: number;
  dy: number;
}

export type Direction = "ltr" | "rtl";

/** A font of ours, as text is set in it. */
export interface LetterFont {
  has(codePoint: number): boolean;
  /** The glyphs of a text that the font has, from left to right. */
  set(text: string, direction: Direction): readonly Glyph[];
}

const FOLDER = new URL("../../fonts/", import.meta.url);

// Fontkit keeps every glyph that it was asked for, and a font of Chinese letters has fifty thousand.
const MOST_KEPT = 3_000;

// Letters that change with their neighbours, and marks that stand above or below them. All others have one glyph each.
const SHAPED = /[\p{M}\p{Script=Arabic}\p{Script=Devanagari}]/u;

/** Whether the glyphs of a text are more than those of its characters, one beside the other. */
export function isShaped(text: string): boolean {
  return SHAPED.test(text);
}

/** Opens a font of `services/carrier/fonts` when it is first needed. */
export function openFont(file: string): LetterFont {
  let font: Font | undefined;
  let outlines = new Map<number, string>();
  // Words return: in each size that is tried, on the line that is drawn, on the sender's next label.
  let words = new Map<string, readonly Glyph[]>();

  const opened = () => {
    if (font && outlines.size <= MOST_KEPT) return font;
    const made = create(readFileSync(new URL(file, FOLDER)));
    if (!("layout" in made)) throw new Error(`${file} is a collection of fonts`);
    outlines = new Map();
    words = new Map();
    font = made;
    return made;
  };

  function outlineOf(glyph: FontGlyph): string {
    const kept = outlines.get(glyph.id);
    if (kept !== undefined) return kept;
    const made = operators(glyph);
    outlines.set(glyph.id, made);
    return made;
  }

  function glyphsOf(text: string, direction: Direction): Glyph[] {
    const from = opened();
    const { unitsPerEm } = from;
    const glyphOf = (glyph: FontGlyph, advance: number, x = 0, y = 0): Glyph => ({
      outline: outlineOf(glyph),
      unitsPerSize: unitsPerEm,
      advance: advance / unitsPerEm,
      dx: x / unitsPerEm,
      dy: y / unitsPerEm,
    });
    if (isShaped(text)) {
      const { glyphs, positions } = from.layout(text, undefined, undefined, undefined, direction);
      return glyphs.map((glyph, index) => {
        const { xAdvance = 0, xOffset, yOffset } = positions[index] ?? {};
        return glyphOf(glyph, xAdvance, xOffset, yOffset);
      });
    }
    const characters = direction === "rtl" ? Array.from(text).reverse() : Array.from(text);
    return characters.map((character) => {
      const glyph = from.glyphForCodePoint(character.codePointAt(0) ?? 0);
      return glyphOf(glyph, glyph.advanceWidth);
    });
  }

  return {
    has: (codePoint) => opened().hasGlyphForCodePoint(codePoint),
    set(text, direction) {
      const key = `${direction} ${text}`;
      const kept = words.get(key);
      if (kept) return kept;
      const made = glyphsOf(text, direction);
      if (words.size >= MOST_KEPT) words = new Map();
      words.set(key, made);
      return made;
    },
  };
}

/** The outline as operators of PDF, which has curves of the third degree only. */
function operators({ path }: FontGlyph): string {
  let [x, y] = [0, 0];
  return path.commands
    .map(({ command, args }) => {
      const [a = 0, b = 0, c = 0, d = 0] = args;
      const [fromX, fromY] = [x, y];
      if (command !== "closePath") [x, y] = [args.at(-2) ?? x, args.at(-1) ?? y];
      switch (command) {
        case "moveTo":
          return `${numbers(args)} m`;
        case "lineTo":
          return `${numbers(args)} l`;
        case "quadraticCurveTo":
          return `${numbers([(fromX + 2 * a) / 3, (fromY + 2 * b) / 3, (c + 2 * a) / 3, (d + 2 * b) / 3, c, d])} c`;
        case "bezierCurveTo":
          return `${numbers(args)} c`;
        default:
          return "h";
      }
    })
    .join(" ");
}

function numbers(values: readonly number[]): string {
  return values.map((value) => Math.round(value)).join(" ");
}
