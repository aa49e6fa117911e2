import type { IncomingMessage, ServerResponse } from "node:http";
import { parseRange, unmetCondition, type Validators } from "./conditional.js";
import { HttpRefusal } from "./http-rules.js";

/** A body that clients may have stored, or may want a part of. */
export interface Content extends Validators {
  type: string;
  body: Uint8Array;
  encoding?: "gzip";
  headers: Readonly<Record<string, string>>;
}

/** Answers a GET or HEAD, including conditional and range requests (RFC 9110, 13 and 14). HEAD has no ranges. */
export function sendContent(req: IncomingMessage, res: ServerResponse, content: Content): void {
  const { type, body, encoding, headers, etag, modified } = content;
  const described = {
    ...headers,
    ...(etag !== undefined && { ETag: etag }),
    ...(modified && { "Last-Modified": modified.toUTCString() }),
  };
  const unmet = unmetCondition(req.headers, content);
  if (unmet === 412) throw new HttpRefusal(412, "A precondition of the request is not met.");
  if (unmet === 304) return void res.writeHead(304, described).end();
  const range = req.method === "GET" ? parseRange(req.headers, body.length, content) : undefined;
  if (range === null) {
    res.setHeader("Content-Range", `bytes */${body.length}`);
    throw new HttpRefusal(416, "The requested range is outside the document.");
  }
  // A copy, so that a part that its client does not read does not keep the whole body in memory.
  const part = range ? Buffer.from(body.subarray(range.first, range.last + 1)) : body;
  res.writeHead(range ? 206 : 200, {
    ...described,
    "Accept-Ranges": "bytes",
    "Content-Type": type,
    "Content-Length": part.length,
    ...(encoding && { "Content-Encoding": encoding }),
    ...(range && { "Content-Range": `bytes ${range.first}-${range.last}/${body.length}` }),
  });
  res.end(part);
}
