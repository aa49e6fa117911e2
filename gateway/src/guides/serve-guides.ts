import type { Express, Response } from "express";
import { type Library, openLibrary } from "./library.js";
import { guidePage, overviewPage, searchPage } from "./pages.js";
import { STYLE } from "./style.js";

// The pages need no script at all.
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const LONGEST_SEARCH = 200;

/** The guides below `/docs`, for everyone. They are rendered when somebody asks for the first of them. */
export function serveGuides(app: Express): void {
  let opened: Library | undefined;
  const library = () => {
    opened ??= openLibrary();
    return opened;
  };

  app.get("/docs", (_req, res) => sendHtml(res, overviewPage()));
  app.get("/docs/style.css", (_req, res) => void res.type("css").set("X-Content-Type-Options", "nosniff").send(STYLE));
  app.get("/docs/search", (req, res) => {
    const { q } = req.query;
    const words = typeof q === "string" ? q.trim().slice(0, LONGEST_SEARCH) : "";
    sendHtml(res, searchPage(words, library().search(words)));
  });
  app.get("/docs/:slug", (req, res, next) => {
    const found = library().page(req.params.slug);
    if (found) sendHtml(res, guidePage(found.guide, found.rendered));
    else next();
  });
}

function sendHtml(res: Response, html: string): void {
  res.set({
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  });
  res.type("html").send(html);
}
