import { within } from "./keep-resolved.js";

/** The total time for which a call waits. */
export const MAX_WAIT_MS = 1_000;
/** Calls do not wait for a service that has been away for longer, because each waiting call holds a place that others need. */
const MAX_AWAY_MS = 5_000;
/** At most half of the requests that a gateway has in progress. */
const MAX_WAITING = 64;
const LOOK_UP_MS = 250;

/**
 * Holds calls that were not sent, because no replica could be reached. gRPC calls this "wait for ready". `lookUp` is called when a call begins to
 * wait, and every 250 ms while a call waits.
 */
export function waitForReplicas(lookUp: () => void) {
  const waiting = new Set<() => void>();
  let appearances = 0;
  let lostAt: number | undefined;
  let lookingUp: NodeJS.Timeout | undefined;
  let closed = false;

  function wakeAll(): void {
    for (const wake of waiting) wake();
  }

  async function wait(forMs: number, signal?: AbortSignal): Promise<void> {
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (waiting.size === 0) {
      lookUp();
      lookingUp = setInterval(lookUp, LOOK_UP_MS);
    }
    waiting.add(wake);
    try {
      await within(woken, signal, forMs);
    } finally {
      waiting.delete(wake);
      if (waiting.size === 0) clearInterval(lookingUp);
    }
  }

  return {
    /** The number of times that a replica has appeared so far. */
    appearances: () => appearances,
    /** A new IP address was found, or a replica has reported SERVING: waiting calls try again. */
    appeared(replica: "found" | "serving"): void {
      appearances++;
      if (replica === "serving") lostAt = undefined;
      wakeAll();
    },
    /**
     * Resolves with true once more than `seen` replicas have appeared. Resolves with false at `until`, a time of `performance.now()`, and at
     * once if the service has been away for five seconds or 64 calls are waiting. A canceled call fails.
     */
    async next(seen: number, until: number, signal?: AbortSignal): Promise<boolean> {
      const now = performance.now();
      lostAt ??= now;
      const isUnavailable = closed || now - lostAt > MAX_AWAY_MS || waiting.size >= MAX_WAITING;
      if (appearances === seen && now < until && !isUnavailable) await wait(until - now, signal);
      return appearances !== seen && !closed;
    },
    /** Ends every wait. */
    close(): void {
      closed = true;
      wakeAll();
    },
  };
}
