const SPELLINGS: Readonly<Record<string, string>> = {
  ...{ ß: "ss", ø: "o", đ: "d", ð: "d", ł: "l", æ: "ae", œ: "oe", þ: "th", ı: "i", ς: "σ", "’": "'" },
};
const SPELLED = new RegExp(`[${Object.keys(SPELLINGS).join("")}]`, "g");

/** A text as searches compare it: without capitals, accents and ligatures; `ß` is `ss`, `ø` is `o`. */
export function foldText(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  const plain = text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "");
  return plain.replace(SPELLED, (letter) => SPELLINGS[letter]!);
}

/** The folded words of a text: what stands between its spaces and punctuation. */
export function wordsIn(text: string): string[] {
  return foldText(text).match(/[\p{L}\p{N}\p{So}]+/gu) ?? [];
}
