import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Request } from "express";
import type { Validators } from "./conditional.js";
import { sendContent } from "./send-content.js";

/** A public document: a page, style sheet or picture. */
export interface Document {
  type: string;
  headers: Readonly<Record<string, string>>;
  plain: Representation;
  /** The compressed document; undefined for pictures. */
  compressed?: Representation;
}

/** The document in one content encoding. Each has its own entity tag. */
interface Representation extends Required<Validators> {
  body: Buffer;
  encoding?: "gzip";
}

// The build time, at which all documents change.
const MODIFIED = new Date(Math.floor(statSync(fileURLToPath(import.meta.url)).mtimeMs / 1_000) * 1_000);

/** The header of documents for programs, which scripts of other origins may read, such as tools in a browser. The API and the pages never have it. */
export const FOR_ALL_ORIGINS = { "Access-Control-Allow-Origin": "*" } as const;

/** A page in HTML and in Markdown. */
export interface Twins {
  page: Document;
  markdown: Document;
}

/**
 * Creates both. The headers of the page link to its Markdown, if that has its own URL (`path`), and to the list of all pages (https://llmstxt.org).
 */
export function createTwins(path: string, html: string, markdown: string, headers: Document["headers"] = {}): Twins {
  const links = `<${path}>; rel="alternate"; type="text/markdown", </llms.txt>; rel="describedby"; type="text/plain"`;
  return {
    page: createDocument("text/html; charset=utf-8", html, { ...headers, Vary: "Accept", Link: links }),
    markdown: createDocument("text/markdown; charset=utf-8", markdown, { ...FOR_ALL_ORIGINS, Vary: "Accept" }),
  };
}

/** Answers with the page, or with its Markdown if the client prefers that. Browsers get the page. */
export function sendTwin(req: Request, res: ServerResponse, { page, markdown }: Twins): void {
  sendDocument(req, res, req.accepts(["text/html", "text/markdown"]) === "text/markdown" ? markdown : page);
}

/** Creates a document, compressed as well, so that no request pays for that. Browsers revalidate it every time, unless the headers say otherwise. */
export function createDocument(type: string, content: string | Buffer, headers: Document["headers"] = {}): Document {
  const plain = toRepresentation(Buffer.from(content));
  const document = { type, plain, headers: { "Cache-Control": "no-cache", ...headers } };
  if (!/^text\/|json|svg/.test(type)) return document;
  return { ...document, compressed: { ...toRepresentation(gzipSync(plain.body)), encoding: "gzip" } };
}

function toRepresentation(body: Buffer): Representation {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
  return { body, etag, modified: MODIFIED };
}

/** Answers a GET of a document, including conditional and range requests. */
export function sendDocument(req: Request, res: ServerResponse, document: Document): void {
  const { type, headers, plain, compressed } = document;
  const chosen = compressed && req.acceptsEncodings("gzip") ? compressed : plain;
  const vary = compressed && { Vary: [headers.Vary, "Accept-Encoding"].filter(Boolean).join(", ") };
  sendContent(req, res, { ...chosen, type, headers: { ...headers, ...vary } });
}

/** A style sheet, script, picture or index that pages load. */
export interface Asset {
  path: string;
  /** The URL with a hash of the content, so that browsers can cache it permanently. */
  href: string;
  /** Answers a GET of the path. */
  send(req: Request, res: ServerResponse): void;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/** Loads files and concatenates them into one asset at `path`. */
export function loadAsset(path: string, ...files: readonly [URL, ...URL[]]): Asset {
  return createAsset(path, Buffer.concat(files.map((file) => readFileSync(file))), extname(files[0].pathname));
}

/** Creates an asset at `path`. The extension tells its content type. */
export function createAsset(path: string, content: string | Buffer, extension = extname(path)): Asset {
  const version = createHash("sha256").update(content).digest("hex").slice(0, 12);
  // During a rolling upgrade, a page can request the hash of another release. That response must not be cached permanently.
  const revalidated = createDocument(TYPES[extension] ?? "application/octet-stream", content);
  const immutable = { ...revalidated, headers: { "Cache-Control": "public, max-age=31536000, immutable" } };
  return {
    path,
    href: `${path}?v=${version}`,
    send: (req, res) => sendDocument(req, res, req.query.v === version ? immutable : revalidated),
  };
}
