import type { Router } from "express";
import { createDocument, loadAsset, sendDocument } from "../../http/send-document.js";
import { AREA_PATH } from "./page.js";

export const style = loadAsset(
  `${AREA_PATH}/style.css`,
  ...["site.css", "base.css", "code.css", "developers.css", "resources.css", "requests.css"],
  ...["charts.css", "overview.css"],
);
export const script = loadAsset(`${AREA_PATH}/script.js`, "developers.js");
export const CLEAR_PATH = `${AREA_PATH}/clear.gif`;

// A transparent pixel as GIF.
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** Serves the style, the script, and the image with which a browser clears its cache after sign-out. */
export function serveAssets(router: Router): void {
  style.serve(router);
  script.serve(router);
  const clear = createDocument("image/gif", GIF, { "Cache-Control": "no-store", "Clear-Site-Data": '"cache"' });
  router.get(CLEAR_PATH, (req, res) => sendDocument(req, res, clear));
}
