// Finds sections of the documentation by words. The server creates the index with the options below, and browsers search it with them.

const NAME = /[a-z0-9]+(?:_[a-z0-9]+)+/gi;
const WORD = /([\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)*)/u;
const SENTENCE_END = /(?<=[.!?]) +(?=\p{Lu}|`|“)/u;
const BETWEEN_WORDS = /[\n\r\p{Z}\p{P}]+/u;
const MAX_HITS = 20;
const EXCERPT_LENGTH = 220;
/** How much of a long sentence stands before the first match, if that is far from its beginning. */
const LED_BY = 60;
// The prefix of one or two letters matches a tenth of all words.
const MIN_PREFIX_LENGTH = 3;

/** @type {import("minisearch").Options} */
export const INDEX_OPTIONS = {
  idField: "href",
  fields: ["title", "endpoint", "text", "code", "names", "codes"],
  storeFields: ["title", "of", "content"],
  // A name such as `weight_kg` is one word, and so are its parts.
  tokenize: (text) => [...text.split(BETWEEN_WORDS), ...(text.match(NAME) ?? [])],
};

const SEARCH_OPTIONS = {
  tokenize: (words) => words.split(" "),
  prefix: (word) => word.length >= MIN_PREFIX_LENGTH,
  // No errors in three letters, one in four, at most two.
  fuzzy: 0.15,
  maxFuzzy: 2,
  combineWith: "AND",
};

/**
 * Opens an index that was serialised as JSON. Returns a function that finds the sections with all words of a text, the best first.
 * @param {typeof import("minisearch").default} MiniSearch
 * @param {string} json
 * @returns {(asked: string) => { href: string, title: string, of: string, excerpt: string, terms: string[] }[]}
 */
export function openIndex(MiniSearch, json) {
  const index = MiniSearch.loadJSON(json, INDEX_OPTIONS);
  return (asked) =>
    index
      .search(wordsIn(asked).join(" "), { ...SEARCH_OPTIONS, boost: boostFor(asked) })
      .slice(0, MAX_HITS)
      .map(({ id, title, of, content, terms }) => ({
        href: id,
        title,
        of,
        excerpt: cutExcerpt(content, terms),
        terms,
      }));
}

/** The words to search for. A name counts only as a whole. */
function wordsIn(asked) {
  const words = [...(asked.match(NAME) ?? []), ...asked.replace(NAME, " ").split(BETWEEN_WORDS)];
  return [...new Set(words.filter((word) => word !== ""))];
}

/** Weights of matches. A method or path is meant for an operation, a field name for the operations that have it. */
function boostFor(asked) {
  const isEndpoint = /\/|\b(?:get|post|delete)\b/i.test(asked);
  return { title: 3, endpoint: isEndpoint ? 8 : 0.5, names: asked.search(NAME) < 0 ? 0.5 : 3, codes: 0.1, code: 0.2 };
}

/**
 * Splits a text at the words that were found. Every second part is one of them.
 * @param {string} text
 * @param {readonly string[]} terms
 */
export function splitAtHits(text, terms) {
  const parts = [""];
  for (const [index, piece] of text.split(WORD).entries()) {
    if (index % 2 === 1 && isHit(piece.toLowerCase(), terms)) parts.push(piece, "");
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

/** A name such as `weight_kg` is also found by its parts. */
function isHit(word, terms) {
  return terms.includes(word) || word.split("_").some((part) => terms.includes(part));
}

/** Whole sentences of one paragraph: the one with the most of the terms, and those after it. A sentence that is too long is cut between words. */
function cutExcerpt(text, terms) {
  const paragraphs = text.split("\n").map((paragraph) => paragraph.split(SENTENCE_END));
  let best = { found: -1, rest: [] };
  for (const sentences of paragraphs)
    for (const [index, sentence] of sentences.entries()) {
      const words = sentence.toLowerCase().split(WORD);
      const found = terms.filter((term) => words.some((word) => isHit(word, [term]))).length;
      if (found > best.found) best = { found, rest: sentences.slice(index) };
    }
  const [first = "", ...others] = best.rest;
  if (first.length > EXCERPT_LENGTH) return cutSentence(first, terms);
  let excerpt = first;
  for (const sentence of others) {
    if (excerpt.length + sentence.length >= EXCERPT_LENGTH) break;
    excerpt += ` ${sentence}`;
  }
  return excerpt;
}

/** As much of a long sentence as an excerpt holds, with the first of the terms. */
function cutSentence(sentence, terms) {
  const [before = ""] = splitAtHits(sentence, terms);
  const start = before.length + LED_BY > EXCERPT_LENGTH ? sentence.indexOf(" ", before.length - LED_BY) + 1 : 0;
  const end = start + EXCERPT_LENGTH;
  const cut = sentence.slice(start, end);
  const isWhole = end >= sentence.length;
  return `${start > 0 ? "… " : ""}${isWhole ? cut : `${cut.replace(/\s\S*$/, "")} …`}`;
}
