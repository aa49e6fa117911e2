import type { Attempt } from "../chaos/retrying-client.js";
import { percentiles } from "../kit/statistics.js";

/** Collects the requests of a load. */
export function recordAttempts() {
  const attempts: Attempt[] = [];
  return {
    add: (attempt: Attempt) => void attempts.push(attempt),
    /** From `sinceMs` of `performance.now()` to the end of the first request that was sent later and succeeded; undefined if there is none. */
    firstSuccessAfter(sinceMs: number): number | undefined {
      const ends = attempts
        .filter((attempt) => attempt.atMs >= sinceMs && succeeded(attempt))
        .map(({ atMs, tookMs }) => atMs + tookMs - sinceMs);
      return ends.length === 0 ? undefined : Math.round(ends.reduce((first, end) => Math.min(first, end)));
    },
    /** From `sinceMs` to the end of the last request that was sent later and failed; 0 if there is none. */
    lastFailureAfter(sinceMs: number): number {
      const ends = attempts
        .filter((attempt) => attempt.atMs >= sinceMs && !succeeded(attempt))
        .map(({ atMs, tookMs }) => atMs + tookMs - sinceMs);
      return Math.round(ends.reduce((last, end) => Math.max(last, end), 0));
    },
    /** The longest of the requests that were sent after `sinceMs`. */
    longestSince(sinceMs: number): number {
      const took = attempts.filter(({ atMs }) => atMs >= sinceMs).map(({ tookMs }) => tookMs);
      return Math.round(took.reduce((longest, ms) => Math.max(longest, ms), 0));
    },
    seen: () => summarize(attempts),
  };
}

/** The effects of a fault on customers. Times are milliseconds. */
function summarize(attempts: readonly Attempt[]) {
  const failures = attempts.filter((attempt) => !succeeded(attempt));
  // By status; `none` for those without an answer.
  const failed: Record<string, number> = {};
  for (const { status } of failures) failed[status || "none"] = (failed[status || "none"] ?? 0) + 1;
  const took = attempts.map(({ tookMs }) => tookMs);
  const ends = attempts.filter(succeeded).map(({ atMs, tookMs }) => atMs + tookMs);
  ends.sort((a, b) => a - b);
  const gaps = ends.slice(1).map((end, index) => end - (ends[index] ?? end));
  return {
    requests: attempts.length,
    failed,
    /** Failed requests other than `503` with `Retry-After`. */
    unclear: failures.filter(({ status, retryAfter }) => status !== 503 || !/^\d+$/.test(retryAfter ?? "")).length,
    milliseconds: percentiles(took),
    /** The longest time without a successful request. */
    longestOutage: Math.round(gaps.reduce((longest, gap) => Math.max(longest, gap), 0)),
  };
}

// A repetition that arrives while the first request still runs gets 409 and is sent again, which is not a failure.
function succeeded({ status }: Attempt): boolean {
  return status > 0 && status < 500;
}
