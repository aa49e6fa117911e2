import type { ServerResponse } from "node:http";
import type { Failure } from "@shipping/kit/errors";
import type { ErrorCode } from "@shipping/proto/errors";

/** A successful answer, ready to be sent. */
export interface HttpAnswer {
  type: "application/json" | "application/pdf";
  body: string | Uint8Array;
}

/** Sends a whole answer. It belongs to one customer, so no cache may store it. */
export function sendAnswer(response: ServerResponse, status: number, { type, body }: HttpAnswer): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
  });
  response.end(body);
}

/** The headers that go with error codes. */
const HEADERS: Partial<Record<ErrorCode, readonly [name: string, value: string]>> = {
  unauthorized: ["WWW-Authenticate", "Bearer"],
  idempotency_in_progress: ["Retry-After", "1"],
  rate_limited: ["Retry-After", "60"],
  service_unavailable: ["Retry-After", "5"],
};

/** Answers a refusal. */
export function refuse(response: ServerResponse, failure: Failure, requestId: string): void {
  const header = HEADERS[failure.code];
  if (header) response.setHeader(...header);
  sendAnswer(response, failure.status, { type: "application/json", body: errorBody(failure, requestId) });
}

/** The error object. Only a 422 has `fields`. */
export function errorBody({ code, message, status, fields }: Failure, requestId: string): string {
  return JSON.stringify({ error: { code, message, request_id: requestId, ...(status === 422 && { fields }) } });
}
