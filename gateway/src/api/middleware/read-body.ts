import type { IncomingMessage, ServerResponse } from "node:http";
import { fail, failFields } from "@shipping/kit/errors";
import { isPlain } from "../../http/media-type.js";
import { ANSWER_MS, type Step } from "../locals.js";

export const MAX_BODY_BYTES = 65_536;

/**
 * Reads the bytes of a JSON body; they are parsed in the account's turn. Not `express.json()`: it never answers 415, takes an empty
 * body for `{}` and repairs broken UTF-8.
 */
export const readBody: Step = async (req, res, next) => {
  if (!isPlain(req, "application/json")) throw fail("unsupported_media_type");
  if (Number(req.headers["content-length"] ?? 0) > MAX_BODY_BYTES) throw fail("payload_too_large");
  res.locals.wasBodyLate = !req.complete;
  const bytes = await collect(req, res, MAX_BODY_BYTES);
  if (!bytes) throw fail("payload_too_large");
  res.locals.deadline = performance.now() + ANSWER_MS;
  res.locals.bytes = bytes;
  next();
};

/** DELETE has no body, of whatever type. */
export const refuseBody: Step = async (req, res, next) => {
  const isAnnounced = Number(req.headers["content-length"] ?? 0) > 0;
  res.locals.wasBodyLate = !req.complete;
  if (isAnnounced || !(await collect(req, res, 0))) {
    throw failFields([{ path: "body", message: "must be empty: a DELETE request has no body" }]);
  }
  res.locals.deadline = performance.now() + ANSWER_MS;
  next();
};

/** The whole body, or undefined if it is larger. The server limits how long it may take (`listen`). */
export function collect(req: IncomingMessage, res: ServerResponse, maxBytes: number): Promise<Buffer | undefined> {
  // A client that sent `Expect: 100-continue` is answered only now that its body is wanted. HTTP/1.0 has no such answer.
  if (req.httpVersion === "1.1" && req.headers.expect?.toLowerCase() === "100-continue") res.writeContinue();
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    req.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      // The rest is still read, so that the client can read its answer.
      else resolve(undefined);
    });
    req.on("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    req.on("error", reject);
  });
}
