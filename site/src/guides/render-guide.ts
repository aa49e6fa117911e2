import { files, type Guide, guides } from "@shipping/api/guides";
import { errors } from "@shipping/proto/errors";
import MarkdownIt, { type Token } from "markdown-it";
import { h } from "preact";
import { render } from "preact-render-to-string";
import { type Code, CodeExample, CodeTabs } from "../layout/code-example.js";
import { findFigure } from "./figures.js";

export interface Rendered {
  html: string;
  sections: { id: string; title: string; level: number }[];
  /** For the search: text, a paragraph a line, and examples below each heading. The first entry has no heading. */
  texts: { id: string; title: string; text: string; code: string }[];
}

/** Longest code that does not break in a table's cell: names stay whole, and commands break. */
const MAX_UNBROKEN_LENGTH = 40;

/** Turns a guide's Markdown into HTML. HTML in it is shown as text. */
export function renderGuide(guide: Guide, markdown: string): Rendered {
  const md = new MarkdownIt({ html: false, linkify: false });
  md.renderer.rules.fence = (all, index) => renderCode(all[index]?.meta);
  // The anchor is beside the heading, so that it is not part of the heading's accessible name.
  md.renderer.rules.heading_open = (all, index, options, _env, self) =>
    `${all[index]?.meta ? '<div class="heading">' : ""}${self.renderToken(all, index, options).trim()}`;
  md.renderer.rules.heading_close = (all, index) =>
    `</${all[index]?.tag}>${all[index]?.meta ? `${all[index].meta}</div>` : ""}\n`;
  md.renderer.rules.image = (all, index, options, env, self) => {
    const { content, attrGet } = all[index]!;
    const figure = findFigure(String(attrGet.call(all[index], "src")));
    if (!figure) return self.renderInlineAsText(all[index]?.children ?? [], options, env);
    const { href, width, height } = figure;
    return `<img class="figure" src="${href}" width="${width}" height="${height}" loading="lazy" alt="${md.utils.escapeHtml(content)}">`;
  };
  // A wide table scrolls; the page does not.
  md.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  md.renderer.rules.table_close = () => "</table></div>\n";

  const tokens = md.parse(markdown, {});
  labelCells(tokens);
  const sections: Rendered["sections"] = [];
  const texts: Rendered["texts"] = [{ id: "", title: guide.title, text: "", code: "" }];
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const title = toText(tokens[index + 1]?.content ?? "");
      const id = toId(title);
      token.attrSet("id", id);
      if (token.tag !== "h1") {
        const link = `<a class="anchor" href="#${id}" aria-label="Link to “${md.utils.escapeHtml(title)}”">#</a>`;
        for (const one of [token, tokens[index + 2]]) if (one) one.meta = link;
        sections.push({ id, title, level: Number(token.tag.slice(1)) });
        texts.push({ id, title, text: "", code: "" });
      }
    }
    if (token.type === "tr_open") setRowId(token, tokens[index + 2]?.content ?? "");
    redirectLinks(token.children ?? []);
    const last = texts.at(-1);
    if (last && token.type === "inline") last.text += toParagraph(token.content, tokens[index - 1]?.type);
    if (last && token.type === "tr_close") last.text = `${last.text.replace(/ · $/, "")}\n`;
    if (last && token.type === "fence") last.code += `\n${token.content}`;
  }
  return { sections, texts, html: md.renderer.render(withTabs(tokens), md.options, {}) };
}

/** Puts the code of each fence into its `meta`. Adjacent fences marked `tab` become one token. */
function withTabs(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (isTab(token) && last && isTab(last)) last.meta.push(toCode(token));
    else joined.push(token);
    if (token.type === "fence") token.meta = [toCode(token)];
  }
  return joined;
}

function isTab({ type, info }: Token): boolean {
  return type === "fence" && /\btab$/.test(info);
}

function toCode({ info, content }: Token): Code {
  const [language = "", ...marks] = info.split(" ");
  return { language, code: content, isOutput: marks.includes("output") };
}

/** The ID of a heading, as GitHub creates it, so that links work in both places. */
function toId(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, "")
    .replaceAll(" ", "-");
}

/** Labels each cell with its column, for narrow windows, where each row is a card, and marks the code in it that may break. */
function labelCells(tokens: readonly Token[]): void {
  let labels: string[] = [];
  let column = 0;
  for (const [index, { type }] of tokens.entries()) {
    if (type === "thead_open") labels = [];
    if (type === "tr_open") column = 0;
    if (type === "th_open") labels.push(toText(tokens[index + 1]?.content ?? ""));
    if (type !== "td_open") continue;
    const label = labels[column++];
    if (label) tokens[index]?.attrSet("data-label", label);
    for (const part of tokens[index + 1]?.children ?? [])
      if (part.type === "code_inline" && part.content.length > MAX_UNBROKEN_LENGTH) part.attrSet("class", "long");
  }
}

/** Gives the row of an error code its ID, so that links can point to it. */
function setRowId(row: Token, firstCell: string): void {
  const [, code = ""] = /^`(\w+)`$/.exec(firstCell) ?? [];
  if (Object.hasOwn(errors, code)) row.attrSet("id", code);
}

/** Points links between guides to their pages. Links to files that are not served become plain text. */
function redirectLinks(tokens: Token[]): void {
  let isDead = false;
  for (const token of tokens) {
    if (token.type === "link_open") {
      const href = toHref(String(token.attrGet("href")));
      isDead = href === undefined;
      token.attrs = href === undefined ? null : [["href", href]];
    }
    if (isDead && /^link_/.test(token.type)) token.tag = "span";
  }
}

/** The path on this host that a guide's link leads to; undefined if none is served. */
export function toHref(target: string): string | undefined {
  const [path = "", fragment = ""] = target.split(/(#.*)/);
  if (path === "" || /^(https?:|\/)/.test(path)) return target;
  if (files.includes(path) || findFigure(path)) return `/docs/${path.replace(/^(\.\.\/)+/, "")}`;
  const guide = guides.find(({ file }) => file.endsWith(path.replace(/^(\.\.?\/)+/, "")));
  return guide && `/docs/${guide.slug}${fragment}`;
}

/** A line for the search. The cells of a row share one, and a heading is the title of its section. */
function toParagraph(markdown: string, opening = ""): string {
  if (opening === "heading_open") return "";
  const text = toText(markdown).replaceAll("\n", " ");
  return /^t[dh]_open$/.test(opening) ? `${text} · ` : `${text}\n`;
}

function toText(markdown: string): string {
  return markdown.replace(/!?\[|\]\([^()]*\)|[`*\]]/g, "");
}

export function renderCode(blocks: readonly Code[]): string {
  const [first, second] = blocks;
  if (!first) return "";
  return `${second ? render(h(CodeTabs, { blocks })) : render(h(CodeExample, first))}\n`;
}
