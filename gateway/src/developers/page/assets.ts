import type { Router } from "express";
import { createDocument, loadAsset, sendDocument } from "../../http/send-document.js";
import { AREA_PATH } from "./page.js";

export const style = loadAsset(
  `${AREA_PATH}/style.css`,
  ...[
    "site.css",
    "base.css",
    "code.css",
    "developers.css",
    "members.css",
    "resources.css",
    "requests.css",
    "charts.css",
  ],
  "overview.css",
);
export const script = loadAsset(`${AREA_PATH}/script.js`, "developers.js");
export const CLEAR_PATH = `${AREA_PATH}/clear.gif`;

// One transparent point.
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** Serves the style, the script, and the picture that makes a browser forget the pages before. */
export function serveAssets(router: Router): void {
  style.serve(router);
  script.serve(router);
  const clear = createDocument("image/gif", GIF, { "Cache-Control": "no-store", "Clear-Site-Data": '"cache"' });
  router.get(CLEAR_PATH, (req, res) => sendDocument(req, res, clear));
}
