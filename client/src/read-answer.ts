import type { Answer } from "./attempt.js";
import { errorOf } from "./error-kinds.js";
import type { FieldError } from "./gen/api-types.js";
import type { Outgoing } from "./operation.js";
import { secondsOf } from "./retry.js";
import type { Settings } from "./settings.js";
import type { ShippingError } from "./shipping-error.js";

/** One page of a list. `next_cursor` is the `after` of the next page, and null on the last page. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** What a good answer holds; undefined if it is not the API's, or only a part of it. */
export function goodValue({ headers, bytes }: Answer, answers: Outgoing["answers"]): unknown {
  if (answers === "file")
    return headers.get("content-type")?.startsWith("application/pdf") && isWholePdf(bytes) ? bytes : undefined;
  const body = jsonIn(bytes);
  if (!isObject(body) || body.data === undefined || body.data === null) return undefined;
  if (answers === "data") return body.data;
  const isPage = Array.isArray(body.data) && (body.next_cursor === null || typeof body.next_cursor === "string");
  return isPage ? { data: body.data, next_cursor: body.next_cursor } : undefined;
}

/** The error of an answer that is not good, and its code, undefined if the answer is not the API's. */
export function refusalIn(
  answer: Answer,
  { idempotencyKey }: Outgoing,
  { now }: Settings,
): { error: ShippingError; code?: string } {
  const { status, headers, bytes } = answer;
  const body = jsonIn(bytes);
  const refusal = isObject(body) && isObject(body.error) ? body.error : {};
  const requestId = textIn(refusal.request_id) ?? headers.get("x-request-id") ?? undefined;
  const retryAfterSeconds = secondsOf(headers.get("retry-after"), now());
  const details = { status, requestId, idempotencyKey, retryAfterSeconds };
  const code = textIn(refusal.code);
  if (code === undefined) return { error: unexpected(answer, details) };
  const message = textIn(refusal.message) ?? code;
  const fields = Array.isArray(refusal.fields) ? (refusal.fields as FieldError[]) : undefined;
  return { error: errorOf(code, message, { ...details, fields }), code };
}

function unexpected({ status, headers }: Answer, details: object): ShippingError {
  const location = headers.get("location");
  if (status >= 300 && status < 400 && location !== null)
    return errorOf(
      "unexpected_answer",
      `Answered ${status}: the base URL redirects to ${location}, and redirects are not followed. Correct baseUrl.`,
      details,
    );
  const type = headers.get("content-type") ?? "no content type";
  const isGood = status >= 200 && status < 300;
  const what = isGood ? "with a body that is incomplete or not from the API" : "without an error object from the API";
  return errorOf("unexpected_answer", `Answered ${status} (${type}) ${what}.`, details);
}

/** A connection that is closed too soon looks like the end of an answer without a length. */
function isWholePdf(bytes: Uint8Array): boolean {
  const textOf = (part: Uint8Array) => new TextDecoder("latin1").decode(part);
  return textOf(bytes.subarray(0, 5)) === "%PDF-" && textOf(bytes.subarray(-1024)).includes("%%EOF");
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
