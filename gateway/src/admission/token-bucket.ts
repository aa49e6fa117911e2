/** A request whose turn comes later than this waits this long, and is then refused. */
const MAX_WAIT_MS = 10_000;

export type TokenBucket = ReturnType<typeof createTokenBucket>;

/**
 * A token bucket that counts in milliseconds: it holds `capacityMs`, and each millisecond adds one. A request takes its tokens at once, and more than
 * there are if need be: it then waits until the bucket has made up for them. So requests have their turns in the order in which they came.
 */
export function createTokenBucket(capacityMs: number, now: () => number) {
  /** When the bucket is full again. All that it holds, or lacks, follows from this time. */
  let fullAt = 0;

  return {
    isFull: () => fullAt <= now(),

    /** Takes the tokens of a request and waits for its turn. Returns false if that has not come after ten seconds. */
    async take(ms: number): Promise<boolean> {
      const startedAt = now();
      const fullAfter = Math.max(startedAt, fullAt) + ms;
      const waitMs = fullAfter - capacityMs - startedAt;
      const isDue = waitMs <= MAX_WAIT_MS;
      // A request that would wait longer takes no tokens, so later requests do not wait for it.
      if (isDue) fullAt = fullAfter;
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, MAX_WAIT_MS)));
      return isDue;
    },
  };
}
