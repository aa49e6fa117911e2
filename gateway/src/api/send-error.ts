import type { ServerResponse } from "node:http";
import type { ErrorCode, Failure } from "@shipping/kit/errors";
import type { ErrorRequestHandler } from "express";
import type { AppDeps } from "../deps.js";
import { sourceOf } from "../http/source.js";
import { failureOf } from "./failure-of.js";
import type { Locals } from "./locals.js";
import { send } from "./respond.js";

/** What codes say in headers, beside their status. */
const HEADERS: Partial<Record<ErrorCode, readonly [name: string, value: string]>> = {
  unauthorized: ["WWW-Authenticate", "Bearer"],
  idempotency_in_progress: ["Retry-After", "1"],
  rate_limited: ["Retry-After", "60"],
  service_unavailable: ["Retry-After", "5"],
};

/**
 * The only place where a request's error is caught. Registered last: whatever was thrown before ends here. Who was not admitted gets so
 * many refusals a second.
 */
export function sendError({
  log,
  pace,
  trustedProxies,
}: Pick<AppDeps, "log" | "pace" | "trustedProxies">): ErrorRequestHandler<
  Record<string, string>,
  unknown,
  unknown,
  unknown,
  Locals
> {
  // Express knows an error handler by its four parameters.
  return async (error, req, res, _next) => {
    // Half of an answer is gone, or nobody is there to get one.
    if (res.headersSent || res.destroyed) return void res.destroy();
    const failure = failureOf(error);
    res.locals.errorCode = failure.code;
    if (failure !== error && failure.status >= 500) {
      log.error({ err: error, request_id: res.locals.requestId }, "request failed");
    }
    const { admission, paced, requestId } = res.locals as Partial<Locals>;
    if (!admission?.within && !paced) await pace.turn(sourceOf(req, trustedProxies), res);
    if (!res.destroyed) refuse(res, failure, requestId ?? "");
  };
}

/** Answers a refusal. */
export function refuse(response: ServerResponse, failure: Failure, requestId: string): void {
  const header = HEADERS[failure.code];
  if (header) response.setHeader(...header);
  send(response, failure.status, { type: "application/json", body: errorBody(failure, requestId) });
}

/** The error object. Only a 422 has `fields`. */
export function errorBody({ code, message, status, fields }: Failure, requestId: string): string {
  return JSON.stringify({ error: { code, message, request_id: requestId, ...(status === 422 && { fields }) } });
}
