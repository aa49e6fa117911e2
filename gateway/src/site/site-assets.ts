import type { IRouter } from "express";
import { assetOf } from "../http/asset.js";

/** The style of pages that have none of their own. */
export const siteStyle = assetOf("/style.css", "site.css", "base.css");

/** The mark of the site, for the tabs of browsers. */
export const mark = assetOf("/favicon.svg", "mark.svg");

// Browsers ask for it by themselves, and some take no SVG there.
const picture = assetOf("/favicon.ico", "mark-32.png");

/** The script of pages with examples, for their head: it makes tabs, and buttons that copy. Pages are whole without it. */
export const codeScript = assetOf("/code.js", "code.js");

/** Serves the style, the script of examples, and the mark as a drawing and as a picture of 32 points. */
export function serveSiteAssets(router: IRouter): void {
  for (const asset of [siteStyle, codeScript, mark, picture]) asset.serve(router);
}
