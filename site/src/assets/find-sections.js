// Finds sections of the documentation by words. The server creates the index with the options below, and browsers search it with them.

const NAME = /[a-z0-9]+(?:_[a-z0-9]+)+/gi;
const BETWEEN_WORDS = /[\n\r\p{Z}\p{P}]+/u;
const MAX_HITS = 20;
const EXCERPT_LENGTH = 220;
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
 * @returns {(asked: string) => { href: string, title: string, of: string, excerpt: string }[]}
 */
export function openIndex(MiniSearch, json) {
  const index = MiniSearch.loadJSON(json, INDEX_OPTIONS);
  return (asked) =>
    index
      .search(wordsIn(asked).join(" "), { ...SEARCH_OPTIONS, boost: boostFor(asked) })
      .slice(0, MAX_HITS)
      .map(({ id, title, of, content, terms }) => ({ href: id, title, of, excerpt: cutExcerpt(content, terms) }));
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

/** The text around the first match. */
function cutExcerpt(text, terms) {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - 60);
  const from = start === 0 ? 0 : text.indexOf(" ", start) + 1;
  const cut = text.slice(from, from + EXCERPT_LENGTH);
  const isWhole = from + EXCERPT_LENGTH >= text.length;
  return `${from > 0 ? "… " : ""}${isWhole ? cut : `${cut.replace(/\s\S*$/, "")} …`}`;
}
