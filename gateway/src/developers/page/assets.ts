import { createHash } from "node:crypto";
import type { Router } from "express";
import { documentOf, sendDocument } from "../../http/send-document.js";
import { AREA_PATH } from "./page.js";
import { SCRIPT } from "./script.js";
import { STYLE } from "./style.js";

const versionOf = (content: string) => createHash("sha256").update(content).digest("hex").slice(0, 8);

/** The paths of what pages load, with a mark of what they hold: a browser may keep each as long as it likes. */
export const STYLE_PATH = `${AREA_PATH}/style.css?v=${versionOf(STYLE)}`;
export const SCRIPT_PATH = `${AREA_PATH}/script.js?v=${versionOf(SCRIPT)}`;
export const CLEAR_PATH = `${AREA_PATH}/clear.gif`;

// One transparent point.
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** Serves the style, the script, and the picture that makes a browser forget the pages before. */
export function serveAssets(router: Router): void {
  const serve = (path: string, type: string, content: string | Buffer, headers: Record<string, string>) => {
    const document = documentOf(type, content, headers);
    router.get(path, (req, res) => sendDocument(req, res, document));
  };
  const kept = { "Cache-Control": "public, max-age=86400" };
  serve(`${AREA_PATH}/style.css`, "text/css; charset=utf-8", STYLE, kept);
  serve(`${AREA_PATH}/script.js`, "text/javascript; charset=utf-8", SCRIPT, kept);
  serve(CLEAR_PATH, "image/gif", GIF, { "Cache-Control": "no-store", "Clear-Site-Data": '"cache"' });
}
