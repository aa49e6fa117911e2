import { EXAMPLE_ORIGIN, files } from "@shipping/api/guides";
import type { Site } from "../layout/site-header.js";
import { toHref } from "./render-guide.js";

const LINK = /\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)/g;

/** The URL of a page's Markdown, if it has one: `/docs/errors.md#not_found` for `/docs/errors#not_found`. */
export function toMarkdownPath(href: string): string {
  const [, page, fragment = ""] = /^\/docs\/([^#?]+)(#.*)?$/.exec(href) ?? [];
  return page === undefined || files.includes(page) || page.endsWith(".svg") ? href : `/docs/${page}.md${fragment}`;
}

/**
 * A guide's Markdown for programs. Its links lead to Markdown, and links to files that are not served are removed. Its code blocks keep their
 * language and lose our marks. Its examples have the base URL of this installation.
 */
export function toMarkdownTwin(markdown: string, site: Site, origin: string): string {
  let fence = "";
  const lines = markdown.split("\n").map((line) => {
    const [, indent = "", ticks = "", language = ""] = /^( *)(`{3,})(\S*)/.exec(line) ?? [];
    if (!fence && ticks) {
      fence = ticks;
      return `${indent}${ticks}${language}`;
    }
    if (fence === ticks) fence = "";
    return fence ? line : line.replace(LINK, (_all, text: string, target: string) => toLink(text, target, site));
  });
  return lines.join("\n").replaceAll(EXAMPLE_ORIGIN, origin);
}

function toLink(text: string, target: string, { hasArea }: Site): string {
  const href = toHref(target);
  if (href === undefined || (!hasArea && href.startsWith("/developers"))) return text;
  return `[${text}](${toMarkdownPath(href)})`;
}
