import { readFileSync } from "node:fs";
import { CLIENTS, type Guide, guides } from "@shipping/api/guides";
import MiniSearch from "minisearch";
import { packageReference } from "./client-packages.js";
import { type Rendered, renderGuide } from "./render-guide.js";
import { type EventDocument, eventReference } from "./schema-fields.js";

/** A section of a page, for the search index. */
export interface Section {
  /** The page's path, with the ID of the section's heading. */
  href: string;
  title: string;
  of: string;
  text: string;
  /** The examples, with a lower weight than the text. */
  code?: string;
  endpoint?: string;
  names?: string;
  /** Error codes, with the lowest weight. */
  codes?: string;
}

export interface Hit extends Pick<Section, "href" | "title" | "of"> {
  /** The text around the first match. */
  excerpt: string;
}

export interface Page {
  guide: Guide;
  /** As in its file, with the reference of its event. */
  markdown: string;
  rendered: Rendered;
}

export interface Library {
  /** All sections that the search covers. */
  sections: readonly Section[];
  page(slug: string): Page | undefined;
  /** Searches for the first ten words in the first hundred characters. */
  search(text: string): Hit[];
}

// The same from `src` and from `dist`.
const ROOT = new URL("../../../", import.meta.url);
const MAX_HITS = 20;
const EXCERPT_LENGTH = 220;
// Each word is matched by prefix and with spelling errors.
const MAX_WORDS = 10;
const MAX_SEARCH_CHARACTERS = 100;
// The prefix of one or two letters matches a tenth of all words.
const MIN_PREFIX_LENGTH = 3;
const splitDefault: (text: string) => string[] = MiniSearch.getDefault("tokenize");

const NAME = /[a-z0-9]+(?:_[a-z0-9]+)+/gi;

/** Splits a text into words. A name such as `weight_kg` is one word, and so are its parts. */
export function splitWords(text: string): string[] {
  return [...splitDefault(text), ...(text.match(NAME) ?? [])];
}

export function readGuideFile(name: string): Buffer {
  return readFileSync(new URL(`docs/${name}`, ROOT));
}

/** Reads and renders all guides, with references of events from the OpenAPI document. The search also finds `more` sections. */
export function openLibrary(document: EventDocument, more: readonly Section[]): Library {
  const pages = new Map(
    guides.map((guide) => {
      const text = readFileSync(new URL(guide.file, ROOT), "utf8");
      const added = guide.event ? eventReference(guide.event, document) : guide.slug === CLIENTS && packageReference();
      const markdown = added ? `${text}\n${added}` : text;
      return [guide.slug, { guide, markdown, rendered: renderGuide(guide, markdown) }];
    }),
  );
  const sections = [...[...pages.values()].flatMap(toSections), ...more];
  const byHref = new Map(sections.map((section) => [section.href, section]));
  const index = new MiniSearch<Section>({
    idField: "href",
    fields: ["title", "endpoint", "text", "code", "names", "codes"],
    tokenize: splitWords,
    searchOptions: {
      prefix: (word) => word.length >= MIN_PREFIX_LENGTH,
      // No errors in three letters, one in four, at most two.
      fuzzy: 0.15,
      maxFuzzy: 2,
      combineWith: "AND",
    },
  });
  index.addAll(sections);

  return {
    sections,
    page: (slug) => pages.get(slug),
    search: (text) => {
      const asked = text.slice(0, MAX_SEARCH_CHARACTERS);
      return index
        .search(wordsIn(asked).join(" "), { tokenize: (words) => words.split(" "), boost: boostFor(asked) })
        .slice(0, MAX_HITS)
        .flatMap(({ id, terms }) => {
          const found = byHref.get(id);
          if (!found) return [];
          const { href, title, of } = found;
          return [{ href, title, of, excerpt: cutExcerpt(joinText(found), terms) }];
        });
    },
  };
}

function toSections({ guide, rendered }: Page): Section[] {
  return rendered.texts.map(({ id, title, text, code }) => {
    const href = `/docs/${guide.slug}${id && `#${id}`}`;
    return { href, title, of: guide.title, text: text.trim(), code };
  });
}

function joinText({ endpoint, text, code, names, codes }: Section): string {
  return [
    endpoint && `${endpoint}: ${text}`,
    !endpoint && text,
    names && `Fields: ${names}.`,
    codes && `Errors: ${codes}.`,
    code,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Weights of matches. A method or path is meant for an operation, a field name for the operations that have it. */
function boostFor(asked: string) {
  const isEndpoint = /\/|\b(?:get|post|delete)\b/i.test(asked);
  return { title: 3, endpoint: isEndpoint ? 8 : 0.5, names: asked.search(NAME) < 0 ? 0.5 : 3, codes: 0.1, code: 0.2 };
}

/** The words to search for. A name counts only as a whole. */
function wordsIn(asked: string): string[] {
  const words = [...(asked.match(NAME) ?? []), ...splitDefault(asked.replace(NAME, " "))];
  return [...new Set(words.filter((word) => word !== ""))].slice(0, MAX_WORDS);
}

function cutExcerpt(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - 60);
  const from = start === 0 ? 0 : text.indexOf(" ", start) + 1;
  const cut = text.slice(from, from + EXCERPT_LENGTH);
  const isWhole = from + EXCERPT_LENGTH >= text.length;
  return `${from > 0 ? "… " : ""}${isWhole ? cut : `${cut.replace(/\s\S*$/, "")} …`}`;
}
