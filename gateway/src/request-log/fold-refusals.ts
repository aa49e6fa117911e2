import type { LogRow } from "./logged-request.js";

/** The most errors with one code that are listed per minute, for each key, or for all requests without a key to this process. */
const MAX_LISTED = { others: 300, anonymous: 120, rate_limited: 10 };

const MINUTE_MS = 60_000;

interface Fold {
  listed: number;
  /** The latest error that is not listed yet. */
  last?: LogRow;
  /** The number of errors before it that are not listed at all. */
  more: number;
}

/** Prevents a client in a loop from filling the log: beyond a number of errors per minute, one row counts all others. */
export function createRefusalFolds(now: () => number) {
  let folds = new Map<string, Fold>();
  let begunAt = now();

  return {
    /** Returns whether this error is listed at once. If not, `take` may return it at the end of the minute. */
    lists(row: LogRow): boolean {
      const key = `${row.keyId ?? ""} ${row.code}`;
      const fold = folds.get(key) ?? { listed: 0, more: 0 };
      folds.set(key, fold);
      if (fold.listed < getLimit(row)) {
        fold.listed++;
        return true;
      }
      if (fold.last) fold.more++;
      fold.last = row;
      return false;
    },

    /** Returns the rows for folded errors, at the end of their minute or at once. */
    take(atOnce = false): LogRow[] {
      if (!atOnce && now() - begunAt < MINUTE_MS) return [];
      const rows = [...folds.values()].flatMap(({ last, more }) => (last ? [{ ...last, more }] : []));
      folds = new Map();
      begunAt = now();
      return rows;
    },
  };
}

function getLimit({ keyId, code }: LogRow): number {
  if (code === "rate_limited") return MAX_LISTED.rate_limited;
  return keyId === undefined ? MAX_LISTED.anonymous : MAX_LISTED.others;
}
