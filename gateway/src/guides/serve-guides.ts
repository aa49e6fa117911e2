import type { Express } from "express";
import { type Document, documentOf, sendDocument } from "../http/send-document.js";
import { style } from "./layout.js";
import { library } from "./library.js";
import { guidePage, overviewPage, searchPage } from "./pages.js";

// The pages need no script at all.
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const LONGEST_SHOWN = 200;

/** The guides below `/docs`, for everyone. */
export function serveGuides(app: Express): void {
  const overview = page(overviewPage());

  app.get("/docs", (req, res) => sendDocument(req, res, overview));
  style.serve(app);
  app.get("/docs/search", (req, res) => {
    const { q } = req.query;
    const text = typeof q === "string" ? q.trim().slice(0, LONGEST_SHOWN) : "";
    sendDocument(req, res, page(searchPage(text, library().search(text))));
  });
  app.get("/docs/:slug", (req, res, next) => {
    const found = library().page(req.params.slug);
    if (found) sendDocument(req, res, page(guidePage(found.guide, found.rendered)));
    else next();
  });
}

function page(html: string): Document {
  return documentOf("text/html; charset=utf-8", html, {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
  });
}
