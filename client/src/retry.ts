import { isKnown } from "./error-kinds.js";

/** What answers that may be followed by another attempt have in common: nothing was executed, or the key makes it harmless. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  "internal_error",
  "service_unavailable",
  "rate_limited",
  "idempotency_in_progress",
]);

/** The statuses by which a code that is newer than this client goes. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 500, 503]);

const FIRST_WAIT_MS = 500;
const MAX_BACKOFF_MS = 8_000;
/** A rate window lasts a minute. Whoever asks for more than a little over that is not waited for. */
const MAX_RETRY_AFTER_S = 65;

/** Whether a refusal with this status and code, undefined if it is not the API's, may be answered otherwise next time. */
export function isRetryable(status: number, code: string | undefined): boolean {
  if (code === undefined) return status >= 500;
  return isKnown(code) ? RETRYABLE_CODES.has(code) : RETRYABLE_STATUSES.has(status);
}

/** The seconds that a `Retry-After` asks for; undefined if it says nothing that can be understood. */
export function secondsOf(retryAfter: string | null, now: number): number | undefined {
  if (retryAfter === null) return undefined;
  // A header that came twice is one with a comma.
  if (/^\d+(, \d+)*$/.test(retryAfter)) return Math.max(...retryAfter.split(", ").map(Number));
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(retryAfter);
  const time = isDate ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, (time - now) / 1000);
}

/**
 * Milliseconds until the next attempt, the first retry being number 0; undefined if the server asks for more than is waited.
 * Without a wish of the server: half a second, doubled each time, less up to half of it.
 */
export function waitMs(retry: number, retryAfterSeconds: number | undefined, random: () => number): number | undefined {
  if (retryAfterSeconds !== undefined && retryAfterSeconds > MAX_RETRY_AFTER_S) return undefined;
  if (retryAfterSeconds) return retryAfterSeconds * 1000 * (1 + random() / 10);
  return Math.min(FIRST_WAIT_MS * 2 ** retry, MAX_BACKOFF_MS) * (1 - random() / 2);
}
