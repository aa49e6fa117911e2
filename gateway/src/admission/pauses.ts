/** The pause after a heavy request, as a multiple of its duration: 1 leaves its account half of the process. */
const PAUSE_FACTOR = 1;
/** No pause is needed if no other account has started anything for this long. */
const NEIGHBOUR_MS = 250;

/**
 * The response bytes of lists that an account may send per second while others wait: every part that a list passes has to copy and garbage-collect
 * them.
 */
const SENT_BYTES_PER_SECOND = 16 * 1024 * 1024;

/** A request that has started. */
export interface Started {
  accountId: string;
  weight: number;
  minPauseMs: number;
  /** In milliseconds of `performance.now()`. */
  startedAt: number;
}

/**
 * Decides for how long an ended request keeps its capacity. While other accounts are active, the requests of one that block the event loop, or send
 * much, must not run back to back.
 */
export function createPauses(pauseFactor = PAUSE_FACTOR) {
  // The last account that started a request, and the last one before it that was a different account.
  let latest = { id: "", at: Number.NEGATIVE_INFINITY };
  let previous = latest;

  return {
    noteStart({ accountId: id, startedAt: at }: Started): void {
      if (latest.id !== id) previous = latest;
      latest = { id, at };
    },
    /** Returns the pause after a request that ends now and has sent this many bytes. */
    pauseMs({ accountId, weight, minPauseMs, startedAt }: Started, sentBytes: number): number {
      const now = performance.now();
      const other = latest.id === accountId ? previous : latest;
      if (weight <= 1 || now - other.at >= NEIGHBOUR_MS) return 0;
      return Math.max(minPauseMs, (1_000 * sentBytes) / SENT_BYTES_PER_SECOND, pauseFactor * (now - startedAt));
    },
  };
}
