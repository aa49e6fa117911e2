import { foldText, wordsIn } from "@shipping/kit/fold-text";
import type { ComponentChildren } from "preact";
import { visible } from "../../input/text.js";

/** The words of a search, as they are marked where they were found. */
export function toMarks(text: string): string[] {
  const words = wordsIn(text);
  const piece = words.join("").replace(/^0+(?=\d{4,}$)/, "");
  return /\d/.test(piece) && piece.length >= 4 ? [...words, piece] : words;
}

/** Text that somebody typed, with the searched words marked. */
export function Marked({ children: text, marks }: { children: string; marks: readonly string[] }) {
  return <bdi>{withMarks(visible(text), marks)}</bdi>;
}

/** Whether one of the words is in a text. */
export function isMarked(text: string, marks: readonly string[]): boolean {
  return markedAt([...text], marks).includes(true);
}

/** A text, or a part of it between two places in UTF-16, with the searched words marked. */
export function withMarks(
  text: string,
  marks: readonly string[],
  { start = 0, end: last = text.length }: { start?: number; end?: number } = {},
): ComponentChildren[] {
  if (marks.length === 0) return [text.slice(start, last)];
  const marked = markedAt([...text], marks).slice([...text.slice(0, start)].length);
  const characters = [...text.slice(start, last)];
  const parts: ComponentChildren[] = [];
  for (let at = 0; at < characters.length; ) {
    let end = at + 1;
    while (end < characters.length && marked[end] === marked[at]) end++;
    const part = characters.slice(at, end).join("");
    parts.push(marked[at] ? <mark>{part}</mark> : part);
    at = end;
  }
  return parts;
}

const LETTER = /[\p{L}\p{N}\p{So}]/u;

/** For each character, whether it is part of a word. Words with digits are found across punctuation, as in telephone numbers. */
function markedAt(characters: readonly string[], marks: readonly string[]): boolean[] {
  const marked = characters.map(() => false);
  for (const across of [false, true]) {
    let folded = "";
    const origins: number[] = [];
    for (const [at, character] of characters.entries()) {
      if (across && !LETTER.test(character)) continue;
      for (const unit of foldText(character)) {
        folded += unit;
        for (let n = 0; n < unit.length; n++) origins.push(at);
      }
    }
    for (const mark of marks.filter((word) => !across || (/\d/.test(word) && word.length >= 4))) {
      for (let at = folded.indexOf(mark); at >= 0; at = folded.indexOf(mark, at + 1)) {
        const beginsWord = at === 0 || !LETTER.test(folded[at - 1]!);
        if (mark.length < 3 && !beginsWord) continue;
        for (let n = 0; n < mark.length; n++) marked[origins[at + n]!] = true;
      }
    }
  }
  return marked;
}
