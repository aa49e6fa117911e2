import { describeBody, type WriteOperation } from "@shipping/api/operations/operation";
import { fail, failFields } from "@shipping/kit/errors";
import { isPlain, unsupportedType } from "@shipping/kit/http/http-rules";
import { collect, MAX_BODY_BYTES } from "@shipping/kit/http/read-body";
import { ANSWER_MS } from "@shipping/kit/http/request-locals";
import type { Middleware } from "../locals.js";

/**
 * Reads a JSON body without parsing it, because parsing is work that waits in the account's queue. `express.json()` is not used, because it never
 * answers 415, reads an empty body as `{}` and repairs invalid UTF-8.
 */
export function readBody(route: WriteOperation): Middleware {
  const withoutBody = `Send ${describeBody(route)} as application/json.`;
  return async (req, res, next) => {
    const { "content-length": length = 0, "transfer-encoding": coding } = req.headers;
    const hasBody = Number(length) > 0 || coding !== undefined;
    if (!isPlain(req, "application/json"))
      throw unsupportedType(req, "application/json", hasBody ? undefined : withoutBody);
    if (Number(length) > MAX_BODY_BYTES) throw fail("payload_too_large");
    res.locals.wasBodyLate = !req.complete;
    const bytes = await collect(req, res, MAX_BODY_BYTES);
    if (!bytes) throw fail("payload_too_large");
    res.locals.deadline = performance.now() + ANSWER_MS;
    res.locals.bytes = bytes;
    next();
  };
}

/** Refuses a DELETE with a body of any type. */
export const refuseBody: Middleware = async (req, res, next) => {
  const isAnnounced = Number(req.headers["content-length"] ?? 0) > 0;
  res.locals.wasBodyLate = !req.complete;
  if (isAnnounced || !(await collect(req, res, 0))) {
    throw failFields([{ path: "body", message: "must be empty: a DELETE request has no body" }]);
  }
  res.locals.deadline = performance.now() + ANSWER_MS;
  next();
};
