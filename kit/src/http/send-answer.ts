import type { ServerResponse } from "node:http";
import { ConnectError } from "@connectrpc/connect";
import type { ErrorCode } from "@shipping/proto/errors";
import { type Failure, fail, failureIn } from "../errors.js";
import { DatabaseOutage } from "../postgres/outage.js";
import { type Log, redactKeys } from "../process/log.js";
import { outageCause } from "../rpc/outage.js";
import type { RequestLocals } from "./request-locals.js";

export interface HttpAnswer {
  type: "application/json" | "text/event-stream";
  /** A list contains the parts of the body. */
  body: string | Uint8Array | readonly Uint8Array[];
}

/** Sends a complete response. It belongs to one customer, so caches must not store it. */
export function sendAnswer(response: ServerResponse, status: number, { type, body }: HttpAnswer): void {
  const parts = Array.isArray(body) ? body : [body];
  response.writeHead(status, {
    "content-type": type,
    "content-length": parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0),
    "cache-control": "no-store",
  });
  for (const part of parts.slice(0, -1)) response.write(part);
  response.end(parts.at(-1));
}

const HEADERS: Partial<Record<ErrorCode, readonly [name: string, value: string]>> = {
  unauthorized: ["WWW-Authenticate", "Bearer"],
  idempotency_in_progress: ["Retry-After", "1"],
  rate_limited: ["Retry-After", "60"],
  service_unavailable: ["Retry-After", "5"],
};

/** Sends a refusal. `toBody` writes its body, which is the error object unless a protocol has another. */
export function refuse(response: ServerResponse, failure: Failure, requestId: string, toBody = errorBody): void {
  const header = HEADERS[failure.code];
  if (header) response.setHeader(...header);
  sendAnswer(response, failure.status, { type: "application/json", body: toBody(failure, requestId) });
}

/** The error object. Only a 422 has `fields`. A name that the client sent, and that a message repeats, may be a key. */
export function errorBody({ code, message, status, fields }: Failure, requestId: string): string {
  const error = { code, message, request_id: requestId, ...(status === 422 && { fields }) };
  return redactKeys(JSON.stringify({ error }));
}

/** The place to record how a request failed, for its log line. */
type Failed = Pick<RequestLocals, "requestId" | "errorCode" | "outageCause">;

/** Converts an error to what the client may see: a refusal as it is, an outage, or an internal error. */
export function toFailure(error: unknown): Failure {
  // An RPC has failed without a typed error, or the database could not answer.
  const isOutage = error instanceof ConnectError || error instanceof DatabaseOutage;
  return failureIn(error) ?? fail(isOutage ? "service_unavailable" : "internal_error");
}

/** Does the same, and records code and cause in the request. Logs the original error of an outage or internal error. */
export function noteFailure(log: Log, request: Failed, error: unknown): Failure {
  const failure = toFailure(error);
  request.errorCode = failure.code;
  if (failure.code === "service_unavailable") request.outageCause = outageCause(error);
  const err = failure === error ? failure.cause : error;
  if (err !== undefined && failure.status >= 500) log.error({ err, request_id: request.requestId }, "request failed");
  return failure;
}

export function unknownRoute(): Failure {
  return fail("not_found", "No such route. The reference at /docs lists all methods and paths.");
}
