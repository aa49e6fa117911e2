import { EXAMPLE_ORIGIN, files, type Guide, groups, guides } from "@shipping/api/guides";
import { readQuery } from "@shipping/api/input/fields";
import {
  createDocument,
  createTwins,
  type Document,
  sendDocument,
  sendTwin,
  type Twins,
} from "@shipping/kit/http/send-document";
import type { IRouter, NextFunction, Request, Response } from "express";
import { SCRIPTED_PAGE_HEADERS } from "../layout/error-page.js";
import { type Site, searchQuery } from "../layout/site-header.js";
import { clientPackages } from "./client-packages.js";
import { renderPage, script, style } from "./layout.js";
import { type Hit, type Library, type Page, readGuideFile } from "./library.js";
import { toMarkdownTwin } from "./markdown-twin.js";
import type { Rendered } from "./render-guide.js";

/** Pages of results that are kept, the latest ones: at most 4 MB. */
const MAX_KEPT_SEARCHES = 100;

/** Serves the guides below `/docs` without authentication. The library is opened on first use, since that is slow. `origin` is for the examples. */
export function serveGuides(
  app: IRouter,
  site: Site,
  origin: () => string,
  library: () => Library,
  llms: () => string,
): void {
  let overview: Twins | undefined;
  const made = new Map<string, Twins>();
  const searches = new Map<string, Document>();

  app.get("/docs", (req, res) => {
    overview ??= createTwins("/llms.txt", overviewPage(site), llms(), SCRIPTED_PAGE_HEADERS);
    sendTwin(req, res, overview);
  });
  app.get(["/", "/docs/"], (_req, res) => redirect(res, "/docs"));
  for (const { path, send } of [style, script, ...clientPackages().map((one) => one.asset)]) app.get(path, send);
  for (const name of files) {
    const file = createDocument("application/json", readGuideFile(name));
    app.get(`/docs/${name}`, (req, res) => sendDocument(req, res, file));
  }
  app.get("/docs/search", (req, res) => {
    const text = readQuery(req.url, searchQuery).get("q")?.trim() ?? "";
    const found = searches.get(text) ?? page(searchPage(site, text, library().search(text)));
    searches.delete(text);
    searches.set(text, found);
    if (searches.size > MAX_KEPT_SEARCHES) searches.delete(searches.keys().next().value as string);
    sendDocument(req, res, found);
  });
  const serveGuide = (name: string, req: Request, res: Response, next: NextFunction) => {
    const slug = name.replace(/\.md$/, "");
    const found = made.get(slug) ? undefined : library().page(slug);
    if (found) made.set(slug, makeTwins(found));
    const twins = made.get(slug);
    if (!twins) next();
    else if (slug === name) sendTwin(req, res, twins);
    else sendDocument(req, res, twins.markdown);
  };
  const makeTwins = ({ guide, markdown, rendered }: Page) => {
    const html = guidePage(site, guide, rendered).replaceAll(EXAMPLE_ORIGIN, origin());
    const text = toMarkdownTwin(markdown, site, origin());
    return createTwins(`/docs/${guide.slug}.md`, html, text, SCRIPTED_PAGE_HEADERS);
  };
  app.get(/^\/docs\/(.+)\/$/, (req, res, next) => {
    const [slug = ""] = Object.values(req.params);
    if (library().page(slug)) redirect(res, `/docs/${slug}`);
    else next();
  });
  app.get("/docs/:slug", (req, res, next) => serveGuide(req.params.slug, req, res, next));
  app.get("/docs/events/:type", (req, res, next) => serveGuide(`events/${req.params.type}`, req, res, next));
}

export function redirect(res: Response, path: string): void {
  res.writeHead(308, { Location: path, "Content-Length": 0 }).end();
}

function page(html: string): Document {
  return createDocument("text/html; charset=utf-8", html, SCRIPTED_PAGE_HEADERS);
}

function overviewPage(site: Site): string {
  return renderPage(site, {
    title: "Overview",
    path: "/docs",
    children: (
      <>
        <h1>Shipping Integration API</h1>
        <p class="lead">
          Send orders and packed parcels, and get rates, labels as PDF, tracking and signed events. Retry safely: you
          never get two labels.
        </p>
        <p class="starts">
          <a class="button" href="/docs/quick-start">
            Get your first label in five steps
          </a>
          {site.hasArea && <a href="/developers">Get an API key</a>}
        </p>
        <ul class="cards">
          {groups
            .slice(0, -1)
            .flatMap(({ guides: [first] }) =>
              first ? <Card path={`/docs/${first.slug}`} title={first.title} about={first.about} /> : [],
            )}
          <Card
            path="/docs/reference"
            title="API reference"
            about="All 18 operations with fields, errors and examples."
          />
        </ul>
        <p>
          For tools: the <a href="/api/v1/openapi.json">OpenAPI 3.1 document</a>, a{" "}
          <a href="/api/v1/postman.json">collection for Postman, Bruno and Insomnia</a>, and these pages in Markdown for{" "}
          <a href="/docs/coding-agents">coding agents</a>: <a href="/llms.txt">llms.txt</a>.
        </p>
      </>
    ),
  });
}

function Card({ path, title, about }: { path: string; title: string; about: string }) {
  return (
    <li>
      <a href={path}>
        <strong>{title}</strong>
        <span>{about}</span>
      </a>
    </li>
  );
}

function guidePage(site: Site, guide: Guide, { html, sections }: Rendered): string {
  return renderPage(site, {
    title: guide.title,
    path: `/docs/${guide.slug}`,
    sections,
    children: (
      <>
        {/* Rendered from the repository's own Markdown, in which HTML is text. */}
        <article dangerouslySetInnerHTML={{ __html: site.hasArea ? html : withoutArea(html) }} />
        <Neighbours of={guide} />
      </>
    ),
  });
}

function Neighbours({ of }: { of: Guide }) {
  const place = guides.indexOf(of);
  const toLink = ({ slug, title }: Guide) => ({ path: `/docs/${slug}`, title });
  const [before, after] = [guides[place - 1], guides[place + 1]];
  const previous = before ? toLink(before) : { path: "/docs", title: "Overview" };
  const next = after ? toLink(after) : { path: "/docs/reference", title: "API reference" };
  return (
    <nav class="neighbours" aria-label="Previous and next page">
      <a rel="prev" href={previous.path}>
        <span>Previous</span> {previous.title}
      </a>
      <a rel="next" href={next.path}>
        <span>Next</span> {next.title}
      </a>
    </nav>
  );
}

/** Removes links to the developer area, for installations without it. */
function withoutArea(html: string): string {
  return html.replace(/<a href="\/developers[^"]*">(.*?)<\/a>/gs, "$1");
}

export function searchPage(site: Site, words: string, hits: readonly Hit[]): string {
  const count = hits.length === 1 ? "1 result" : `${hits.length || "No"} results`;
  return renderPage(site, {
    title: "Search",
    path: "/docs/search",
    words,
    children: (
      <>
        <h1>Search</h1>
        <p role="status">{words ? `${count} for “${words}”.` : "Enter a word to search for."}</p>
        {words && hits.length === 0 && (
          <p>
            Check the spelling, or use fewer words. You can also search for a path such as <code>/labels</code>, a field
            such as <code>weight_kg</code>, or an error code such as <code>not_found</code>.
          </p>
        )}
        <ol class="hits">
          {hits.map(({ href, title, of, excerpt }) => (
            <li>
              <a href={href}>{title}</a> <span class="of">{of}</span>
              <p>{excerpt}</p>
            </li>
          ))}
        </ol>
      </>
    ),
  });
}
