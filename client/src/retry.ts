import type { Settings } from "./config.js";
import { isKnownCode } from "./error-kinds.js";

/** Codes after which a retry is safe: the request was not executed, or the idempotency key prevents a second execution. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  "internal_error",
  "service_unavailable",
  "rate_limited",
  "idempotency_in_progress",
]);

/** For codes that are newer than this client, the status decides. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 500, 503]);

const FIRST_WAIT_MS = 500;
const MAX_BACKOFF_MS = 8_000;

/** Whether a retry may succeed. `code` is undefined if the response is not from the API. */
export function isRetryable(status: number, code: string | undefined): boolean {
  if (code === undefined) return status >= 500;
  return isKnownCode(code) ? RETRYABLE_CODES.has(code) : RETRYABLE_STATUSES.has(status);
}

/** The seconds to wait; undefined if the header is missing or invalid. */
export function parseRetryAfter(retryAfter: string | null, now: number): number | undefined {
  if (retryAfter === null) return undefined;
  // `Headers` joins repeated headers with a comma.
  if (/^\d+(, \d+)*$/.test(retryAfter)) return Math.max(...retryAfter.split(", ").map(Number));
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(retryAfter);
  const time = isDate ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, (time - now) / 1000);
}

/**
 * Milliseconds until the next attempt; the first retry is number 0. Undefined if the server asks for too long a wait. Without
 * Retry-After: half a second, doubled with each retry, minus up to half of it as jitter.
 */
export function backoffMs(
  retry: number,
  askedSeconds: number | undefined,
  { maxWaitSeconds, random }: Pick<Settings, "maxWaitSeconds" | "random">,
): number | undefined {
  if (askedSeconds !== undefined && askedSeconds > maxWaitSeconds) return undefined;
  if (askedSeconds) return askedSeconds * 1000 * (1 + random() / 10);
  return Math.min(FIRST_WAIT_MS * 2 ** retry, MAX_BACKOFF_MS) * (1 - random() / 2);
}
