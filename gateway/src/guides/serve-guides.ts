import type { Express, NextFunction, Request, Response } from "express";
import { type Document, documentOf, sendDocument } from "../http/send-document.js";
import { SCRIPTED_PAGE_HEADERS } from "../site/error-page.js";
import type { Site } from "../site/site-header.js";
import { EXAMPLE_ORIGIN, files } from "./guides.js";
import { script, style } from "./layout.js";
import { type Library, readGuideFile } from "./library.js";
import { guidePage, overviewPage, searchPage } from "./pages.js";

const MAX_SHOWN_CHARACTERS = 200;

/**
 * The guides below `/docs`, for everyone. Opening the library takes a while: it is asked for when somebody reads. `origin` stands in
 * the examples.
 */
export function serveGuides(app: Express, site: Site, origin: () => string, library: () => Library): void {
  const overview = page(overviewPage(site));
  const made = new Map<string, Document>();

  function documentOfGuide(slug: string): Document | undefined {
    const found = made.get(slug) ? undefined : library().page(slug);
    if (found) made.set(slug, page(guidePage(site, found.guide, found.rendered).replaceAll(EXAMPLE_ORIGIN, origin())));
    return made.get(slug);
  }

  app.get("/docs", (req, res) => sendDocument(req, res, overview));
  app.get(["/", "/docs/"], (_req, res) => redirect(res, "/docs"));
  for (const asset of [style, script]) asset.serve(app);
  for (const name of files) {
    const file = documentOf("application/json", readGuideFile(name));
    app.get(`/docs/${name}`, (req, res) => sendDocument(req, res, file));
  }
  app.get("/docs/search", (req, res) => {
    const { q } = req.query;
    const text = typeof q === "string" ? q.trim().slice(0, MAX_SHOWN_CHARACTERS) : "";
    sendDocument(req, res, page(searchPage(site, text, library().search(text))));
  });
  const serveGuide = (slug: string, req: Request, res: Response, next: NextFunction) => {
    const found = documentOfGuide(slug);
    if (found) sendDocument(req, res, found);
    else next();
  };
  app.get(/^\/docs\/(.+)\/$/, (req, res, next) => {
    const [slug = ""] = Object.values(req.params);
    if (library().page(slug)) redirect(res, `/docs/${slug}`);
    else next();
  });
  app.get("/docs/:slug", (req, res, next) => serveGuide(req.params.slug, req, res, next));
  app.get("/docs/events/:type", (req, res, next) => serveGuide(`events/${req.params.type}`, req, res, next));
}

/** Leads to another address for good. */
export function redirect(res: Response, path: string): void {
  res.writeHead(308, { Location: path, "Content-Length": 0 }).end();
}

function page(html: string): Document {
  return documentOf("text/html; charset=utf-8", html, SCRIPTED_PAGE_HEADERS);
}
