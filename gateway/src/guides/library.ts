import { readFileSync } from "node:fs";
import MiniSearch from "minisearch";
import { type EventDocument, eventReference } from "./event-reference.js";
import { type Guide, guides } from "./guides.js";
import { type Rendered, renderGuide } from "./render-guide.js";

export interface Hit {
  guide: Guide;
  id: string;
  title: string;
  /** The text around the first word that was found. */
  excerpt: string;
}

/** The rendered guides and their search. */
export interface Library {
  page(slug: string): { guide: Guide; rendered: Rendered } | undefined;
  /** Only the first ten words count, and the first hundred characters. */
  search(text: string): Hit[];
}

// The same from `src` and from `dist`.
const ROOT = new URL("../../../", import.meta.url);
const MOST_HITS = 20;
const EXCERPT_LENGTH = 220;
// Each word is compared with all that begin alike or are nearly spelled alike: a short one with many.
const MOST_WORDS = 10;
const LONGEST_SEARCH = 100;
const splitWords = MiniSearch.getDefault("tokenize");

/** A file beside the guides. */
export function readGuideFile(name: string): Buffer {
  return readFileSync(new URL(`docs/${name}`, ROOT));
}

/** Reads and renders all guides, those of events with what the OpenAPI document says of them. */
export function openLibrary(document: EventDocument): Library {
  const pages = new Map(
    guides.map((guide) => {
      const text = readFileSync(new URL(guide.file, ROOT), "utf8");
      const rendered = renderGuide(guide, guide.event ? `${text}\n${eventReference(guide.event, document)}` : text);
      return [guide.slug, { guide, rendered }];
    }),
  );
  const sections = [...pages.values()].flatMap(({ guide, rendered }) =>
    rendered.texts.map(({ id, title, text }) => ({ key: `${guide.slug}#${id}`, guide, id, title, text: text.trim() })),
  );
  const byKey = new Map(sections.map((section) => [section.key, section]));
  const index = new MiniSearch({
    idField: "key",
    fields: ["title", "text"],
    searchOptions: { prefix: true, fuzzy: 0.15, boost: { title: 3 }, combineWith: "AND" },
  });
  index.addAll(sections.map(({ key, title, text }) => ({ key, title, text })));

  return {
    page: (slug) => pages.get(slug),
    search: (text) =>
      index
        .search(wordsIn(text).join(" "))
        .flatMap(({ id: key, terms }) => {
          const found = byKey.get(key);
          if (!found) return [];
          const { guide, id, title, text } = found;
          return [{ guide, id, title, excerpt: excerptOf(text, terms) }];
        })
        .slice(0, MOST_HITS),
  };
}

function wordsIn(text: string): string[] {
  const words: string[] = splitWords(text.slice(0, LONGEST_SEARCH));
  return [...new Set(words.filter((word) => word !== ""))].slice(0, MOST_WORDS);
}

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - 60);
  const from = start === 0 ? 0 : text.indexOf(" ", start) + 1;
  const cut = text.slice(from, from + EXCERPT_LENGTH);
  return `${from > 0 ? "… " : ""}${cut}${from + EXCERPT_LENGTH < text.length ? " …" : ""}`;
}
