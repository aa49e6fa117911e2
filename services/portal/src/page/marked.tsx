import { visible } from "@shipping/api/input/text";
import { foldSpellings, JOINTS, joinedWordsIn, wordsIn } from "@shipping/kit/fold-text";
import type { ComponentChildren } from "preact";

/** The same limit as in the search. */
const MAX_WORDS = 8;

/** The words of a search, in the forms in which results mark them: in each spelling, and in one piece. */
export function toMarks(text: string): string[] {
  const spellings = foldSpellings(text);
  const [words = [], ...others] = spellings.map((spelling) => wordsIn(spelling).slice(0, MAX_WORDS));
  const together = words.join("");
  const piece = /^\d+$/.test(together) ? together.replace(/^0+(\d{4})/, "$1") : together;
  const pieces = /\d/.test(piece) && piece.length >= 4 ? [piece] : [];
  const joined = spellings.flatMap((spelling) => joinedWordsIn(spelling).slice(0, MAX_WORDS));
  return [...new Set([...words, ...others.flat(), ...pieces, ...joined])];
}

/** User text with the searched words marked. */
export function Marked({ children: text, marks }: { children: string; marks: readonly string[] }) {
  return <bdi>{withMarks(visible(text), marks)}</bdi>;
}

/** The words that are not in a text. */
export function unmarkedIn(text: string, marks: readonly string[]): readonly string[] {
  if (marks.length === 0) return marks;
  const ways = foldSpellings(text).flatMap((folded) =>
    PASSES.map(({ isFor, leftOf }) => ({ isFor, letters: leftOf(folded) })),
  );
  return marks.filter(
    (mark) => !ways.some(({ isFor, letters }) => isFor(mark) && placesIn(letters, [mark]).length > 0),
  );
}

function withMarks(text: string, marks: readonly string[]): ComponentChildren[] {
  if (marks.length === 0) return [text];
  const characters = [...text];
  const marked = markedAt(characters, marks);
  const parts: ComponentChildren[] = [];
  for (let at = 0; at < characters.length; ) {
    let part = "";
    const isMark = marked[at];
    for (; at < characters.length && marked[at] === isMark; at++) part += characters[at];
    parts.push(isMark ? <mark>{part}</mark> : part);
  }
  return parts;
}

const LETTER = /[\p{L}\p{N}\p{So}]/u;

const isLong = (mark: string) => mark.length >= 4;
const hasDigit = (mark: string) => /\d/.test(mark);

const BETWEEN_LETTERS = /[^\p{L}\p{N}\p{So}]+/gu;

/**
 * The passes of the search for marks in a folded text: words with digits are found across punctuation, as in telephone numbers, and others
 * across apostrophes and hyphens.
 */
const PASSES: readonly { isFor(mark: string): boolean; leftOf(folded: string): string }[] = [
  { isFor: () => true, leftOf: (folded) => folded },
  { isFor: (mark) => isLong(mark) && hasDigit(mark), leftOf: (folded) => folded.replace(BETWEEN_LETTERS, "") },
  { isFor: (mark) => isLong(mark) && !hasDigit(mark), leftOf: (folded) => folded.replace(JOINTS, "") },
];

/** Finds the words in a folded text. One or two letters count only at the beginning of a word. */
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
  const spellings = characters.map(foldSpellings);
  for (const spelling of spellings.some(({ length }) => length > 1) ? [0, 1] : [0])
    for (const { isFor, leftOf } of PASSES) {
      const wanted = marks.filter(isFor);
      if (wanted.length === 0) continue;
      let folded = "";
      const origins: number[] = [];
      for (const [at, ways] of spellings.entries()) {
        folded += leftOf(ways[spelling] ?? ways[0]!);
        while (origins.length < folded.length) origins.push(at);
      }
      for (const { at, end } of placesIn(folded, wanted)) for (let n = at; n < end; n++) marked[origins[n]!] = true;
    }
  return marked;
}
