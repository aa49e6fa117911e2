import { readFileSync } from "node:fs";
import MiniSearch from "minisearch";
import { type Guide, guides } from "./guides.js";
import { type Rendered, renderGuide } from "./render-guide.js";
import { type EventDocument, eventReference } from "./schema-fields.js";

/** A part of a page, as the search knows it. */
export interface Section {
  /** Its address, with the id of its heading. */
  href: string;
  title: string;
  /** The page that it belongs to. */
  of: string;
  text: string;
  /** Its examples, which count less than its text. */
  code?: string;
  /** Method and path, if it is about an operation. */
  endpoint?: string;
  /** Names that it is found by as well. */
  names?: string;
  /** Error codes, by which others are found before it. */
  codes?: string;
}

export interface Hit extends Pick<Section, "href" | "title" | "of"> {
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
const MAX_HITS = 20;
const EXCERPT_LENGTH = 220;
// Each word is compared with all that begin alike or are nearly spelled alike: a short one with many.
const MAX_WORDS = 10;
const MAX_SEARCH_CHARACTERS = 100;
const splitAtSigns: (text: string) => string[] = MiniSearch.getDefault("tokenize");

const NAME = /[a-z0-9]+(?:_[a-z0-9]+)+/gi;

/** The words of a text. A name such as `weight_kg` is one, beside its parts. */
function splitWords(text: string): string[] {
  return [...splitAtSigns(text), ...(text.match(NAME) ?? [])];
}

/** A file beside the guides. */
export function readGuideFile(name: string): Buffer {
  return readFileSync(new URL(`docs/${name}`, ROOT));
}

/** Reads and renders all guides, and adds the OpenAPI document's reference to those of events. The search also finds `more`. */
export function openLibrary(document: EventDocument, more: readonly Section[]): Library {
  const pages = new Map(
    guides.map((guide) => {
      const text = readFileSync(new URL(guide.file, ROOT), "utf8");
      const rendered = renderGuide(guide, guide.event ? `${text}\n${eventReference(guide.event, document)}` : text);
      return [guide.slug, { guide, rendered }];
    }),
  );
  const sections = [...[...pages.values()].flatMap(sectionsOf), ...more];
  const byHref = new Map(sections.map((section) => [section.href, section]));
  const index = new MiniSearch<Section>({
    idField: "href",
    fields: ["title", "endpoint", "text", "code", "names", "codes"],
    tokenize: splitWords,
    searchOptions: { prefix: true, fuzzy: 0.15, combineWith: "AND" },
  });
  index.addAll(sections);

  return {
    page: (slug) => pages.get(slug),
    search: (text) => {
      const asked = text.slice(0, MAX_SEARCH_CHARACTERS);
      return index
        .search(wordsIn(asked).join(" "), { tokenize: (words) => words.split(" "), boost: boostFor(asked) })
        .flatMap(({ id, terms }) => {
          const found = byHref.get(id);
          if (!found) return [];
          const { href, title, of } = found;
          return [{ href, title, of, excerpt: excerptOf(wholeTextOf(found), terms) }];
        })
        .slice(0, MAX_HITS);
    },
  };
}

function sectionsOf({ guide, rendered }: { guide: Guide; rendered: Rendered }): Section[] {
  return rendered.texts.map(({ id, title, text, code }) => {
    const href = `/docs/${guide.slug}${id && `#${id}`}`;
    return { href, title, of: guide.title, text: text.trim(), code };
  });
}

function wholeTextOf({ endpoint, text, code, names, codes }: Section): string {
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

/** Weights of matches. A method or a path means an operation; the name of a field means the operations that have it. */
function boostFor(asked: string) {
  const isEndpoint = /\/|\b(?:get|post|delete)\b/i.test(asked);
  return { title: 3, endpoint: isEndpoint ? 8 : 0.5, names: asked.search(NAME) < 0 ? 0.5 : 3, codes: 0.1, code: 0.2 };
}

/** The words that are searched for: of a name only the whole. */
function wordsIn(asked: string): string[] {
  const words = [...(asked.match(NAME) ?? []), ...splitAtSigns(asked.replace(NAME, " "))];
  return [...new Set(words.filter((word) => word !== ""))].slice(0, MAX_WORDS);
}

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - 60);
  const from = start === 0 ? 0 : text.indexOf(" ", start) + 1;
  const cut = text.slice(from, from + EXCERPT_LENGTH);
  const isWhole = from + EXCERPT_LENGTH >= text.length;
  return `${from > 0 ? "… " : ""}${isWhole ? cut : `${cut.replace(/\s+\S*$/, "")} …`}`;
}
