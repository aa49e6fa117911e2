import { readFileSync } from "node:fs";
import type { IRouter } from "express";
import { assetOf } from "../http/asset.js";
import { documentOf, sendDocument } from "../http/send-document.js";

/** The style of pages that have none of their own. */
export const siteStyle = assetOf("/style.css", "site.css", "base.css");

/** Where the mark of the site is served, for the tabs of browsers. */
export const MARK_PATH = "/favicon.svg";

// Browsers ask for `/favicon.ico` by themselves, and some take no SVG there.
const MARKS = { [MARK_PATH]: ["mark.svg", "image/svg+xml"], "/favicon.ico": ["mark-32.png", "image/png"] } as const;

/** Serves the style, and the mark as a drawing and as a picture of 32 points. */
export function serveSiteAssets(router: IRouter): void {
  siteStyle.serve(router);
  for (const [path, [file, type]] of Object.entries(MARKS)) {
    // The same from `src` and from `dist`.
    const mark = documentOf(type, readFileSync(new URL(`../../assets/${file}`, import.meta.url)));
    router.get(path, (req, res) => sendDocument(req, res, mark));
  }
}
