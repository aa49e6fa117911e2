import { gzipSync } from "node:zlib";
import { unmetCondition } from "@shipping/kit/http/conditional";
import { HttpRefusal } from "@shipping/kit/http/http-rules";
import { isRead } from "@shipping/kit/http/refuse-request";
import { noteFailure } from "@shipping/kit/http/send-answer";
import type { Log } from "@shipping/kit/process/log";
import type { ErrorRequestHandler, Request, Response } from "express";
import { WINDOW_MINUTES } from "../session/session.js";
import { renderArea } from "./layout.js";
import type { FileAnswer, HtmlPage, PageAnswer, PageLocals } from "./page.js";
import { refusalPage } from "./refusal-page.js";

const RETRY_AFTER_SECONDS: Record<number, number> = { 429: WINDOW_MINUTES * 60, 503: 5 };

type PageHttpRequest = Pick<Request, "headers" | "method" | "acceptsEncodings">;
type PageResponse = Response<unknown, PageLocals>;

/** Sends the answer of a page's handler. Only files may be cached, and only if they say so. */
export async function sendPageAnswer(req: PageHttpRequest, res: PageResponse, answer: PageAnswer): Promise<void> {
  if ("content" in answer) return sendFile(req, res, answer);
  sendPageOrRedirect(req, res, answer);
}

function sendPageOrRedirect(req: PageHttpRequest, res: PageResponse, answer: Exclude<PageAnswer, FileAnswer>): void {
  res.setHeader("Cache-Control", "no-store");
  for (const cookie of answer.cookies ?? []) res.appendHeader("Set-Cookie", cookie);
  if ("location" in answer) res.writeHead(303, { Location: answer.location }).end();
  else sendPage(req, res, answer);
}

// `no-cache` makes the browser ask before it shows a cached file, so that a person who has lost access does not see it.
async function sendFile(req: PageHttpRequest, res: PageResponse, { etag, content }: FileAnswer): Promise<void> {
  const cached = { ...(etag && { ETag: etag }), "Cache-Control": "private, no-cache" };
  if (etag && unmetCondition(req.headers, { etag }) === 304) return void res.writeHead(304, cached).end();
  const { type, body, name, kept } = await content();
  res.writeHead(200, {
    "Content-Type": type,
    "Content-Length": body.length,
    ...(kept ? cached : { "Cache-Control": "no-store" }),
    ...(name && { "Content-Disposition": `attachment; filename="${name}"` }),
  });
  res.end(body);
}

/** True if the answer is 304. Pages have no ETag, so the only conditions that apply are `If-Match: *` and `If-None-Match: *`. */
function isNotModified(req: PageHttpRequest, { status }: HtmlPage): boolean {
  const unmet = isRead(req) && status === 200 ? unmetCondition(req.headers, {}) : undefined;
  if (unmet === 412) throw new HttpRefusal(412, "A precondition of the request is not met.");
  return unmet === 304;
}

function sendPage(req: PageHttpRequest, res: PageResponse, page: HtmlPage): void {
  if (isNotModified(req, page)) return void res.writeHead(304).end();
  const html = Buffer.from(renderArea(page, res.locals));
  // A page with a secret is not compressed: the size would reveal something about the secret.
  const isCompressed = !page.secret && req.acceptsEncodings("gzip") !== false;
  const retryAfter = RETRY_AFTER_SECONDS[page.status];
  const body = isCompressed ? gzipSync(html) : html;
  res.writeHead(page.status, {
    "Content-Type": "text/html; charset=utf-8",
    ...(page.live && { "Live-Version": page.live }),
    "Content-Length": body.length,
    Vary: "Accept-Encoding",
    ...(page.refreshSeconds !== undefined && { Refresh: page.refreshSeconds }),
    ...(retryAfter !== undefined && !res.hasHeader("Retry-After") && { "Retry-After": retryAfter }),
    ...(isCompressed && { "Content-Encoding": "gzip" }),
  });
  res.end(body);
}

/** Express error handler: answers with a page, as `sendError` answers API requests with JSON. */
export function sendRefusal(
  log: Log,
): ErrorRequestHandler<Record<string, string>, unknown, unknown, unknown, PageLocals> {
  // Express recognises an error handler by its four parameters.
  return (error, req, res, _next) => {
    const failure = noteFailure(log, res.locals, error);
    if (res.headersSent || res.destroyed) return void res.destroy();
    const url = isRead(req) ? req.originalUrl : undefined;
    sendPageOrRedirect(req, res, refusalPage(failure, url));
  };
}
