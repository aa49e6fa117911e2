import type { Bulkhead, WorkRequest } from "@shipping/kit/http/bulkhead";

/** The pause after a heavy request, as a multiple of its duration: 1 leaves its account half of the process. */
const PAUSE_FACTOR = 1;
/** No pause is needed if no other account has started anything for this long. */
const NEIGHBOUR_MS = 250;

/**
 * The response bytes of lists that an account may send per second while others wait: every part that a list passes has to copy and garbage-collect
 * them.
 */
const SENT_BYTES_PER_SECOND = 16 * 1024 * 1024;

/** A request that may be followed by a pause. */
export interface PausedRequest extends WorkRequest {
  /** While other accounts are active, the pause after a heavy request is at least this long; 0 by default. */
  minPauseMs?: number;
}

export type PausingBulkhead = ReturnType<typeof withPauses>;

/**
 * A bulkhead in which an ended heavy request keeps its capacity for a pause, while other accounts are active. Otherwise the requests of an account
 * that block the event loop, or send much, would run back to back.
 */
export function withPauses(bulkhead: Bulkhead) {
  // The last account that started a request, and the last one before it that was a different account.
  let latest = { id: "", at: Number.NEGATIVE_INFINITY };
  let previous = latest;

  function noteStart(id: string): number {
    if (latest.id !== id) previous = latest;
    latest = { id, at: performance.now() };
    return latest.at;
  }

  /** When an account other than this one last started a request. */
  const otherStartedAt = (id: string) => (latest.id === id ? previous : latest).at;

  return {
    load: bulkhead.load,
    /** As the bulkhead's own `acquire`. The returned function takes the size of the response. */
    async acquire({ minPauseMs = 0, ...request }: PausedRequest): Promise<(sentBytes?: number) => void> {
      const release = await bulkhead.acquire(request);
      const { accountId, weight } = request;
      const startedAt = noteStart(accountId);
      return (sentBytes = 0) => {
        const now = performance.now();
        if (weight <= 1 || now - otherStartedAt(accountId) >= NEIGHBOUR_MS) return release();
        const sendingMs = (1_000 * sentBytes) / SENT_BYTES_PER_SECOND;
        setTimeout(release, Math.max(minPauseMs, sendingMs, PAUSE_FACTOR * (now - startedAt)));
      };
    },
  };
}
