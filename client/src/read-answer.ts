import type { Answer } from "./attempt.js";
import type { Settings } from "./config.js";
import { newError } from "./error-kinds.js";
import type { FieldError } from "./gen/api-types.js";
import type { Outgoing } from "./operation.js";
import { parseRetryAfter } from "./retry.js";
import type { ShippingError } from "./shipping-error.js";

/** One page of a list. `next_cursor` is the `after` of the next page, and null on the last page. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** The body of a successful response, as the API sent it. */
export interface RawAnswer {
  /** `application/json` or `application/pdf`. */
  contentType: string;
  bytes: Uint8Array;
}

/** The value in a successful response; undefined if the response is incomplete or not from the API. */
export function readValue({ headers, bytes }: Answer, answers: Outgoing["answers"]): unknown {
  if (answers === "file")
    return headers.get("content-type")?.startsWith("application/pdf") && isWholePdf(bytes) ? bytes : undefined;
  if (answers === "raw") return readRaw(headers.get("content-type") ?? "", bytes);
  const body = parseJson(bytes);
  if (!isObject(body) || body.data === undefined || body.data === null) return undefined;
  if (answers === "data") return body.data;
  const isPage = Array.isArray(body.data) && (body.next_cursor === null || typeof body.next_cursor === "string");
  return isPage ? { data: body.data, next_cursor: body.next_cursor } : undefined;
}

/** The API sends objects and PDFs. What does not end like one is incomplete, or from another program. */
function readRaw(contentType: string, bytes: Uint8Array): RawAnswer | undefined {
  const isObjectText = contentType.startsWith("application/json") && bytes[0] === 0x7b && bytes.at(-1) === 0x7d;
  const isPdf = contentType.startsWith("application/pdf") && isWholePdf(bytes);
  return isObjectText || isPdf ? { contentType, bytes } : undefined;
}

/** The error in any other response. `code` is undefined if the response is not from the API. */
export function readError(
  answer: Answer,
  { idempotencyKey }: Outgoing,
  { now }: Settings,
): { error: ShippingError; code?: string } {
  const { status, headers, bytes } = answer;
  const body = parseJson(bytes);
  const refusal = isObject(body) && isObject(body.error) ? body.error : {};
  const requestId = nonEmptyText(refusal.request_id) ?? headers.get("x-request-id") ?? undefined;
  const retryAfterSeconds = parseRetryAfter(headers.get("retry-after"), now());
  const details = { status, requestId, idempotencyKey, retryAfterSeconds };
  const code = nonEmptyText(refusal.code);
  if (code === undefined) return { error: unexpected(answer, details) };
  const message = nonEmptyText(refusal.message) ?? code;
  const fields = Array.isArray(refusal.fields) ? (refusal.fields as FieldError[]) : undefined;
  return { error: newError(code, message, { ...details, fields }), code };
}

function unexpected({ status, headers }: Answer, details: object): ShippingError {
  const location = headers.get("location");
  if (status >= 300 && status < 400 && location !== null)
    return newError(
      "unexpected_answer",
      `Answered ${status}: the base URL redirects to ${location}, and redirects are not followed. Correct baseUrl.`,
      details,
    );
  const type = headers.get("content-type") ?? "no content type";
  const isGood = status >= 200 && status < 300;
  const what = isGood ? "with a body that is incomplete or not from the API" : "without an error object from the API";
  return newError("unexpected_answer", `Answered ${status} (${type}) ${what}.`, details);
}

/** Without Content-Length, a connection that is closed too soon looks like the end of the response. */
function isWholePdf(bytes: Uint8Array): boolean {
  const textOf = (part: Uint8Array) => new TextDecoder("latin1").decode(part);
  return textOf(bytes.subarray(0, 5)) === "%PDF-" && textOf(bytes.subarray(-1024)).includes("%%EOF");
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
