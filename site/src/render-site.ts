import { setImmediate as nextTurn } from "node:timers/promises";
import { files, guides } from "@shipping/api/guides";
import { BASE_PATH } from "@shipping/api/operations/operation";
import {
  createAsset,
  createDocument,
  createTwins,
  type Document,
  FOR_ALL_ORIGINS,
  sendDocument,
  sendTwin,
  type Twins,
} from "@shipping/kit/http/send-document";
import type { Request, Response } from "express";
import { changelogFeed } from "./changelog-feed.js";
import { robotsText, sitemap } from "./crawlers.js";
import { findGuide, resources } from "./documents.js";
import { guidePage, overviewPage } from "./guides/guide-page.js";
import { toMarkdownTwin } from "./guides/markdown-twin.js";
import { type Page, readGuideFile } from "./guides/open-guide.js";
import { createSearchIndex, toSections } from "./guides/search-index.js";
import { PAGE_HEADERS } from "./layout/error-page.js";
import { FEED_PATH } from "./layout/page-facts.js";
import { type DocsSite, SEARCH_PATH } from "./layout/search-form.js";
import type { Site } from "./layout/site-header.js";
import { llmsText } from "./llms.js";
import { indexPage } from "./reference/index-page.js";
import { indexMarkdown, operationMarkdown } from "./reference/operation-markdown.js";
import { operationPage } from "./reference/operation-page.js";
import { searchSections } from "./reference/operations.js";
import { REFERENCE_PATH, type Reference } from "./reference/reference-layout.js";
import { searchPage } from "./search-page.js";

/** Answers a GET of one path, from memory. */
type Answer = (req: Request, res: Response) => void;

/** How each path of the site is answered. */
export type RenderedSite = ReadonlyMap<string, Answer>;

/** A page that is also Markdown, before it is rendered. */
interface Source {
  path: string;
  html(): string;
  markdown(): string;
}

const HTML = "text/html; charset=utf-8";

/** Renders every document of the site, except for its assets. `origin` is the URL of this installation. Other requests are answered between two pages. */
export async function renderSite({ hasArea }: Site, origin: string): Promise<RenderedSite> {
  const answers = new Map<string, Answer>();
  const addDocument = (path: string, document: Document) =>
    answers.set(path, (req, res) => sendDocument(req, res, document));
  const addTwins = (path: string, twins: Twins) => answers.set(path, (req, res) => sendTwin(req, res, twins));
  const addRedirect = (path: string, target: string) => answers.set(path, (_req, res) => redirect(res, target));

  const reference = { resources: resources(), baseUrl: origin + BASE_PATH };
  await nextTurn();
  const pages: Page[] = [];
  for (const { slug } of guides) {
    pages.push(findGuide(slug)!);
    await nextTurn();
  }
  const sections = [...pages.flatMap(toSections), ...searchSections(reference.resources)];
  const index = createAsset("/docs/search-index.json", await createSearchIndex(sections));
  const site = { hasArea, searchIndex: index.href, origin };
  const texts = [llmsText(reference)];
  await nextTurn();

  const sources = [...guideSources(site, origin, pages), ...referenceSources(site, reference)];
  for (const { path, html, markdown } of sources) {
    const text = markdown();
    const twins = createTwins(`${path}.md`, html(), text, PAGE_HEADERS);
    addTwins(path, twins);
    addDocument(`${path}.md`, twins.markdown);
    addRedirect(`${path}/`, path);
    texts.push(text);
    await nextTurn();
  }
  const [llms = ""] = texts;
  addTwins("/docs", createTwins("/llms.txt", overviewPage(site), llms, PAGE_HEADERS));
  for (const path of ["/", "/docs/"]) addRedirect(path, "/docs");
  addDocument(SEARCH_PATH, createDocument(HTML, searchPage(site, pages, reference.resources), PAGE_HEADERS));
  const addText = (path: string, text: string | Buffer, type = "text/plain; charset=utf-8") =>
    addDocument(path, createDocument(type, text, FOR_ALL_ORIGINS));
  addText("/llms.txt", llms);
  addText("/llms-full.txt", texts.join("\n---\n\n"));
  addText("/robots.txt", robotsText(origin));
  addText("/sitemap.xml", sitemap(origin, ["/docs", ...sources.map(({ path }) => path)]), "application/xml");
  const changes = pages.find(({ guide }) => guide.slug === "changelog");
  if (changes) addText(FEED_PATH, changelogFeed(changes, origin), "application/atom+xml; charset=utf-8");
  for (const name of files) addText(`/docs/${name}`, readGuideFile(name), "application/json");
  answers.set(index.path, index.send);
  return answers;
}

function guideSources(site: DocsSite, origin: string, pages: readonly Page[]): Source[] {
  return pages.map((page) => ({
    path: `/docs/${page.guide.slug}`,
    html: () => guidePage(site, origin, page),
    markdown: () => toMarkdownTwin(page.markdown, site, origin),
  }));
}

function referenceSources(site: DocsSite, reference: Reference): Source[] {
  const { resources } = reference;
  const operations = resources.flatMap((resource) => resource.operations);
  return [
    { path: REFERENCE_PATH, html: () => indexPage(site, reference), markdown: () => indexMarkdown(reference) },
    ...operations.map((operation) => ({
      path: operation.href,
      html: () => operationPage(site, reference, operation),
      markdown: () => operationMarkdown(operation, resources),
    })),
  ];
}

function redirect(res: Response, path: string): void {
  res.writeHead(308, { Location: path, "Content-Length": 0 }).end();
}
