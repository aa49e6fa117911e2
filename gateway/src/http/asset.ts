import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import type { IRouter } from "express";
import { documentOf, sendDocument } from "./send-document.js";

/** A style, a script or a picture that pages load. */
export interface Asset {
  /** Its address for pages, with a hash of its content: a browser may keep what it finds there for ever. */
  href: string;
  /** Answers for its path. */
  serve(router: IRouter): void;
}

// The same from `src` and from `dist`.
const FOLDER = new URL("../../assets/", import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/** Files of `gateway/assets`, one after the other, served as one at `path`. */
export function assetOf(path: string, ...files: readonly [string, ...string[]]): Asset {
  const content = Buffer.concat(files.map((file) => readFileSync(new URL(file, FOLDER))));
  const version = createHash("sha256").update(content).digest("hex").slice(0, 12);
  const type = TYPES[extname(files[0])] ?? "application/octet-stream";
  const kept = documentOf(type, content, { "Cache-Control": "public, max-age=31536000, immutable" });
  // Asked for with the hash of another release, as happens while replicas are replaced: nobody may keep it under that address.
  const checked = documentOf(type, content);
  return {
    href: `${path}?v=${version}`,
    serve: (router) => router.get(path, (req, res) => sendDocument(req, res, req.query.v === version ? kept : checked)),
  };
}
