import { gzipSync } from "node:zlib";
import type { Log } from "@shipping/kit/process/log";
import type { ErrorRequestHandler, Request, Response } from "express";
import { unmetCondition } from "../../http/conditional.js";
import { HttpRefusal } from "../../http/http-rules.js";
import { noteFailure } from "../../http/send-answer.js";
import { WINDOW_MINUTES } from "../session/session.js";
import { renderArea } from "./layout.js";
import { type FileAnswer, type HtmlPage, isPerEnvironment, type PageAnswer, type PageLocals } from "./page.js";
import { refusalPage } from "./refusal-page.js";

const RETRY_AFTER_SECONDS: Record<number, number> = { 429: WINDOW_MINUTES * 60, 503: 5 };

type Asking = Pick<Request, "headers" | "method" | "acceptsEncodings">;
type PageResponse = Response<unknown, PageLocals>;

/** Sends the answer of a page's handler. Caches keep none of it, except files that allow it. */
export async function sendPageAnswer(req: Asking, res: PageResponse, answer: PageAnswer): Promise<void> {
  if ("content" in answer) return sendFile(req, res, answer);
  sendWhole(req, res, answer);
}

function sendWhole(req: Asking, res: PageResponse, answer: Exclude<PageAnswer, FileAnswer>): void {
  res.setHeader("Cache-Control", "no-store");
  for (const cookie of answer.cookies ?? []) res.appendHeader("Set-Cookie", cookie);
  if ("location" in answer) res.writeHead(303, { Location: answer.location }).end();
  else sendPage(req, res, answer);
}

// A browser that keeps the file asks each time before it shows it, so nobody sees it who has lost access.
async function sendFile(req: Asking, res: PageResponse, { etag, content }: FileAnswer): Promise<void> {
  const known = { ...(etag && { ETag: etag }), "Cache-Control": "private, no-cache" };
  if (etag && unmetCondition(req.headers, { etag }) === 304) return void res.writeHead(304, known).end();
  const { type, body, name, kept } = await content();
  res.writeHead(200, {
    "Content-Type": type,
    "Content-Length": body.length,
    ...(kept ? known : { "Cache-Control": "no-store" }),
    ...(name && { "Content-Disposition": `attachment; filename="${name}"` }),
  });
  res.end(body);
}

/** Whether the answer is 304. A page has no entity tag, so a condition can only ask whether it exists. */
function isKnown(req: Asking, { status }: HtmlPage): boolean {
  const unmet = req.method === "GET" && status === 200 ? unmetCondition(req.headers, {}) : undefined;
  if (unmet === 412) throw new HttpRefusal(412, "A precondition of the request is not met.");
  return unmet === 304;
}

function sendPage(req: Asking, res: PageResponse, page: HtmlPage): void {
  if (isKnown(req, page)) return void res.writeHead(304).end();
  const { page: route, session, environment } = res.locals;
  const section = session && route?.section;
  const text = renderArea({
    page,
    session,
    section,
    environment: route && isPerEnvironment(route) ? environment : undefined,
  });
  const html = Buffer.from(text);
  // A secret is not compressed: the compressed size would reveal something about it.
  const isCompressed = !page.secret && req.acceptsEncodings("gzip") !== false;
  const retryAfter = RETRY_AFTER_SECONDS[page.status];
  const body = isCompressed ? gzipSync(html) : html;
  res.writeHead(page.status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": body.length,
    Vary: "Accept-Encoding",
    ...(page.refreshSeconds !== undefined && { Refresh: page.refreshSeconds }),
    ...(retryAfter !== undefined && { "Retry-After": retryAfter }),
    ...(isCompressed && { "Content-Encoding": "gzip" }),
  });
  res.end(body);
}

/** Answers an error of a page with a page, as `sendError` answers those of other requests. */
export function sendRefusal(
  log: Log,
): ErrorRequestHandler<Record<string, string>, unknown, unknown, unknown, PageLocals> {
  // Express knows an error handler by its four parameters.
  return (error, req, res, _next) => {
    if (res.headersSent || res.destroyed) return void res.destroy();
    sendWhole(req, res, refusalPage(noteFailure(log, res.locals, error)));
  };
}
