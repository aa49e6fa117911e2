import bidiFactory from "bidi-js";
import { fontFor } from "./letters.js";
import type { Direction, Glyph, LetterFont } from "./open-font.js";

interface Run {
  text: string;
  level: number;
  font: LetterFont;
}

// bidi-js 1.1 declares the types of its ES module, which Node does not load.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;

/** Sets a text from `ownLetters`; the width is relative to the size. A part of a longer text needs the direction of the whole. */
export function setLine(text: string, direction = textDirection(text)): { glyphs: readonly Glyph[]; width: number } {
  const glyphs = visual(splitRuns(text, direction)).flatMap(setRun);
  return { glyphs, width: glyphs.reduce((sum, { advance }) => sum + advance, 0) };
}

export function textDirection(text: string): Direction {
  if (!RIGHT_TO_LEFT.test(text)) return "ltr";
  return (bidi.getEmbeddingLevels(text).paragraphs[0]?.level ?? 0) % 2 === 1 ? "rtl" : "ltr";
}

/** Splits the text into parts in one direction and one font, in the order in which they are read. */
function splitRuns(text: string, direction: Direction): Run[] {
  const isPlain = direction === "ltr" && !RIGHT_TO_LEFT.test(text);
  const levels = isPlain ? undefined : bidi.getEmbeddingLevels(text, direction);
  const mirrored = levels && bidi.getMirroredCharactersMap(text, levels.levels);
  const runs: Run[] = [];
  let index = 0;
  for (const character of text) {
    const level = levels?.levels[index] ?? 0;
    const shown = mirrored?.get(index) ?? character;
    const last = runs.at(-1);
    const font = fontFor(shown, last?.font);
    if (!font) throw new Error(`no font has ${JSON.stringify(shown)}`);
    if (last && last.level === level && last.font === font) last.text += shown;
    else runs.push({ text: shown, level, font });
    index += character.length;
  }
  return runs;
}

/** Returns the runs from left to right (rule L2 of Unicode's bidirectional algorithm). */
function visual(runs: Run[]): Run[] {
  const ordered = [...runs];
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level--) {
    for (let start = 0; start < ordered.length; start++) {
      let end = start;
      while ((ordered[end]?.level ?? -1) >= level) end++;
      if (end > start) ordered.splice(start, end - start, ...ordered.slice(start, end).reverse());
      start = Math.max(start, end);
    }
  }
  return ordered;
}

/** Sets a run word by word, because letters join only within a word. */
function setRun({ text, level, font }: Run): Glyph[] {
  const direction = level % 2 === 1 ? "rtl" : "ltr";
  const parts = text.split(/(?<= )/).map((word) => font.set(word, direction));
  return (direction === "rtl" ? parts.reverse() : parts).flat();
}
