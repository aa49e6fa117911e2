import MiniSearch from "minisearch";
import { INDEX_OPTIONS } from "../assets/find-sections.js";
import type { Page } from "./open-guide.js";

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

/** Creates the index that browsers search (`assets/find-sections.js`), as JSON. It contains the text of each section, for excerpts. */
export async function createSearchIndex(sections: readonly Section[]): Promise<string> {
  const index = new MiniSearch(INDEX_OPTIONS);
  await index.addAllAsync(sections.map((section) => ({ ...section, content: joinText(section) })));
  return JSON.stringify(index);
}

export function toSections({ guide, rendered }: Page): Section[] {
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
    .join("\n");
}
