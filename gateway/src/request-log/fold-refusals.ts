import type { LogRow } from "./logged-request.js";

/** Of the refusals of a key with one code, so many are listed in a minute; of those without a key, of the whole process. */
const LISTED = { others: 300, anonymous: 120, rate_limited: 10 };

const MINUTE_MS = 60_000;

interface Fold {
  listed: number;
  /** The latest that is not listed yet, and how many before it never will be. */
  last?: LogRow;
  more: number;
}

/** Keeps a loop of refusals from filling the log: beyond a number of rows, those of a minute share the row of the last. */
export function createRefusalFolds(now: () => number) {
  let folds = new Map<string, Fold>();
  let begunAt = now();

  return {
    /** True if this one is listed at once. If not, `take` may return it at the end of its minute. */
    lists(row: LogRow): boolean {
      const key = `${row.keyId ?? ""} ${row.code}`;
      let fold = folds.get(key);
      if (!fold) {
        fold = { listed: 0, more: 0 };
        folds.set(key, fold);
      }
      if (fold.listed < mostOf(row)) {
        fold.listed++;
        return true;
      }
      if (fold.last) fold.more++;
      fold.last = row;
      return false;
    },

    /** The rows of folded refusals, once their minute is over, or at once. */
    take(atOnce = false): LogRow[] {
      if (!atOnce && now() - begunAt < MINUTE_MS) return [];
      const rows = [...folds.values()].flatMap(({ last, more }) => (last ? [{ ...last, more }] : []));
      folds = new Map();
      begunAt = now();
      return rows;
    },
  };
}

function mostOf({ keyId, code }: LogRow): number {
  if (code === "rate_limited") return LISTED.rate_limited;
  return keyId === undefined ? LISTED.anonymous : LISTED.others;
}
