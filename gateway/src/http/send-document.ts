import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { rangeIn, unmetCondition, type Validators } from "./conditional.js";
import { HttpRefusal } from "./http-rules.js";

/** A public document: a page, a style sheet, a picture. */
export interface Document extends Required<Validators> {
  type: string;
  body: Buffer;
  headers: Readonly<Record<string, string>>;
}

// All of them come with the build, and change with it.
const MODIFIED = new Date(Math.floor(statSync(fileURLToPath(import.meta.url)).mtimeMs / 1_000) * 1_000);

/** A document of these bytes. A browser asks each time whether it has changed, unless the headers say otherwise. */
export function documentOf(
  type: string,
  content: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Document {
  const body = Buffer.from(content);
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
  return { type, body, etag, modified: MODIFIED, headers: { "Cache-Control": "no-cache", ...headers } };
}

/** Answers a GET of a document, under its conditions, or with a part of it. */
export function sendDocument(req: IncomingMessage, res: ServerResponse, document: Document): void {
  const { type, body, etag, modified, headers } = document;
  const described = { ...headers, ETag: etag, "Last-Modified": modified.toUTCString() };
  const unmet = unmetCondition(req.headers, document);
  if (unmet === 412) throw new HttpRefusal(412, "A condition of the request does not hold.");
  if (unmet === 304) return void res.writeHead(304, described).end();
  const range = rangeIn(req.headers, body.length, document);
  if (range === null) {
    res.setHeader("Content-Range", `bytes */${body.length}`);
    throw new HttpRefusal(416, "The document has no such part.");
  }
  const part = range ? body.subarray(range.first, range.last + 1) : body;
  res.writeHead(range ? 206 : 200, {
    ...described,
    "Accept-Ranges": "bytes",
    "Content-Type": type,
    "Content-Length": part.length,
    ...(range && { "Content-Range": `bytes ${range.first}-${range.last}/${body.length}` }),
  });
  res.end(part);
}
