import { readFileSync } from "node:fs";
import { create, type Font } from "fontkit";

/** A glyph to draw: its number in its font, and its place and advance relative to the text's size. */
export interface Glyph {
  font: LetterFont;
  id: number;
  advance: number;
  dx: number;
  dy: number;
}

/** A font with some of its glyphs, as embedded in a PDF; measures are thousandths of the size. */
export interface Subset {
  name: string;
  file: Uint8Array;
  widths: number[];
  box: [number, number, number, number];
  ascent: number;
  descent: number;
  capHeight: number;
}

export type Direction = "ltr" | "rtl";

export interface LetterFont {
  has(codePoint: number): boolean;
  /** Returns the glyphs of a text that the font has, from left to right. */
  set(text: string, direction: Direction): readonly Glyph[];
  /** Returns the advance of a glyph on its own, relative to the size. */
  glyphWidth(id: number): number;
  /** Returns the font with these glyphs, numbered from 1 in their order. */
  subset(ids: readonly number[]): Subset;
}

const FOLDER = new URL("../../../fonts/", import.meta.url);

// Fontkit keeps every glyph that was requested, and a Chinese font has fifty thousand.
const MAX_KEPT = 5_000;

// These letters change with their neighbours, or are marks that stand above or below them. All others have one glyph each.
const SHAPED = /[\p{M}\p{Script=Arabic}\p{Script=Devanagari}]/u;

/** Returns true if a text needs more than the glyphs of its characters side by side. */
export function isShaped(text: string): boolean {
  return SHAPED.test(text);
}

/** Opens a font of `services/carrier/fonts` when it is first needed. */
export function openFont(file: string): LetterFont {
  let font: Font | undefined;
  let widths = new Map<number, number>();
  // Words are cached because they recur: in each size that is tried, on the line that is drawn, on the sender's next label.
  let words = new Map<string, readonly Glyph[]>();

  function opened(): Font {
    if (font && widths.size <= MAX_KEPT) return font;
    const made = create(readFileSync(new URL(file, FOLDER)));
    if (!("layout" in made)) throw new Error(`${file} is a collection of fonts`);
    skipNullAnchors(made);
    widths = new Map();
    words = new Map();
    font = made;
    return made;
  }

  function glyphWidth(id: number): number {
    const kept = widths.get(id);
    if (kept !== undefined) return kept;
    const from = opened();
    const width = from.getGlyph(id).advanceWidth / from.unitsPerEm;
    widths.set(id, width);
    return width;
  }

  function toGlyphs(text: string, direction: Direction): Glyph[] {
    const from = opened();
    if (isShaped(text)) {
      const { glyphs, positions } = from.layout(text, undefined, undefined, undefined, direction);
      return glyphs.map(({ id }, index) => {
        const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {};
        const [advance = 0, dx = 0, dy = 0] = [xAdvance, xOffset, yOffset].map((units) => units / from.unitsPerEm);
        return { font: letterFont, id, advance, dx, dy };
      });
    }
    const characters = direction === "rtl" ? Array.from(text).reverse() : Array.from(text);
    return characters.map((character) => {
      const { id } = from.glyphForCodePoint(character.codePointAt(0) ?? 0);
      return { font: letterFont, id, advance: glyphWidth(id), dx: 0, dy: 0 };
    });
  }

  const letterFont: LetterFont = {
    has: (codePoint) => opened().hasGlyphForCodePoint(codePoint),
    set(text, direction) {
      const key = `${direction} ${text}`;
      const kept = words.get(key);
      if (kept) return kept;
      const made = toGlyphs(text, direction);
      if (words.size >= MAX_KEPT) words = new Map();
      words.set(key, made);
      return made;
    },
    glyphWidth,
    subset(ids) {
      const from = opened();
      const subset = from.createSubset();
      for (const id of ids) subset.includeGlyph(from.getGlyph(id));
      const thousandths = (units: number) => Math.round((units * 1000) / from.unitsPerEm);
      const { minX, minY, maxX, maxY } = from.bbox;
      return {
        name: from.postscriptName,
        file: subset.encode(),
        widths: ids.map((id) => Number((glyphWidth(id) * 1000).toFixed(2))),
        box: [minX, minY, maxX, maxY].map(thousandths) as Subset["box"],
        ascent: thousandths(from.ascent),
        descent: thousandths(from.descent),
        capHeight: thousandths(from.capHeight),
      };
    },
  };
  return letterFont;
}

/** The part of fontkit (2.0) that places the marks of a text. */
interface MarkPlacer {
  applyAnchor(mark: { markAnchor: unknown }, baseAnchor: unknown, baseIndex: number): void;
}

/**
 * Leaves a mark where it is if a rule of the font has no anchor for it, as OpenType requires. Fontkit fails instead
 * (https://github.com/foliojs/fontkit/issues/367), for several Arabic letters even on their own.
 */
export function skipNullAnchors(font: Font): void {
  const { _layoutEngine } = font as unknown as { _layoutEngine: { engine?: { GPOSProcessor?: MarkPlacer } } };
  const placer = _layoutEngine.engine?.GPOSProcessor;
  if (!placer) return;
  const applyAnchor = placer.applyAnchor.bind(placer);
  placer.applyAnchor = (mark, baseAnchor, baseIndex) => {
    if (baseAnchor && mark.markAnchor) applyAnchor(mark, baseAnchor, baseIndex);
  };
}
