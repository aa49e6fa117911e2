import { foldText, wordsIn } from "@shipping/kit/fold-text";
import type { ComponentChildren } from "preact";
import { visible } from "../../input/text.js";

/** A search takes no more words either. */
const MAX_WORDS = 8;

/** The words of a search, as they are marked where they were found. */
export function toMarks(text: string): string[] {
  const words = wordsIn(foldText(text)).slice(0, MAX_WORDS);
  const joined = words.join("");
  const piece = /^\d+$/.test(joined) ? joined.replace(/^0+(\d{4})/, "$1") : joined;
  return [...new Set(/\d/.test(piece) && piece.length >= 4 ? [...words, piece] : words)];
}

/** Text that somebody typed, with the searched words marked. */
export function Marked({ children: text, marks }: { children: string; marks: readonly string[] }) {
  const shown = visible(text);
  return <bdi>{withMarks(shown, marks, shown.length)[0]}</bdi>;
}

/** The words that are not in a text. */
export function unmarkedIn(text: string, marks: readonly string[]): readonly string[] {
  if (marks.length === 0) return marks;
  const folded = foldText(text);
  const letters = marks.some(isAcross) ? folded.replace(BETWEEN_LETTERS, "") : "";
  return marks.filter((mark) => placesIn(folded, [mark]).length === 0 && !(isAcross(mark) && letters.includes(mark)));
}

/** A text with the searched words marked: what is before a place in UTF-16, and what is after it. */
export function withMarks(
  text: string,
  marks: readonly string[],
  place: number,
): [ComponentChildren[], ComponentChildren[]] {
  if (marks.length === 0) return [[text.slice(0, place)], [text.slice(place)]];
  const characters = [...text];
  const marked = markedAt(characters, marks);
  const sides: [ComponentChildren[], ComponentChildren[]] = [[], []];
  for (let at = 0, length = 0; at < characters.length; ) {
    const side = length < place ? 0 : 1;
    let part = "";
    const isMark = marked[at];
    for (; at < characters.length && marked[at] === isMark && (length < place ? 0 : 1) === side; at++) {
      part += characters[at];
      length += characters[at]!.length;
    }
    sides[side].push(isMark ? <mark>{part}</mark> : part);
  }
  return sides;
}

const LETTER = /[\p{L}\p{N}\p{So}]/u;
const BETWEEN_LETTERS = /[^\p{L}\p{N}\p{So}]+/gu;

/** Words with digits are found across punctuation, as in telephone numbers. */
const isAcross = (word: string) => word.length >= 4 && /\d/.test(word);

/** Where the words are in a folded text: one or two letters, where a word begins with them. */
function placesIn(folded: string, marks: readonly string[]): { at: number; end: number }[] {
  const places: { at: number; end: number }[] = [];
  for (const mark of marks) {
    for (let at = folded.indexOf(mark); at >= 0; at = folded.indexOf(mark, at + mark.length)) {
      if (mark.length >= 3 || at === 0 || !LETTER.test(folded[at - 1]!)) places.push({ at, end: at + mark.length });
    }
  }
  return places;
}

/** For each character, whether it is part of a word. */
function markedAt(characters: readonly string[], marks: readonly string[]): boolean[] {
  const marked = characters.map(() => false);
  for (const across of [false, true]) {
    const wanted = across ? marks.filter(isAcross) : marks;
    if (wanted.length === 0) continue;
    let folded = "";
    const origins: number[] = [];
    for (const [at, character] of characters.entries()) {
      if (across && !LETTER.test(character)) continue;
      folded += foldText(character);
      while (origins.length < folded.length) origins.push(at);
    }
    for (const { at, end } of placesIn(folded, wanted)) for (let n = at; n < end; n++) marked[origins[n]!] = true;
  }
  return marked;
}
