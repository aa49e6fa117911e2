/** Calls off what takes too long. */
export interface Deadlines {
  /** Calls `end` when the limit is over, unless the function that this yields was called before. */
  set(end: () => void): () => void;
}

interface Waiting {
  dueAt: number;
  end(): void;
}

/**
 * Deadlines of one length: who came first is due first, so one timer serves all. A timer for each would cost as much as a good part of
 * what it guards.
 */
export function createDeadlines(limitMs: number): Deadlines {
  const waiting = new Set<Waiting>();
  let timer: NodeJS.Timeout | undefined;

  function watch(ms: number): void {
    timer = setTimeout(look, ms);
    // It may outlive what it was set for. What waits holds the process by itself.
    timer.unref();
  }

  function look(): void {
    timer = undefined;
    const now = performance.now();
    for (const one of waiting) {
      if (one.dueAt > now) {
        watch(one.dueAt - now);
        break;
      }
      waiting.delete(one);
      one.end();
    }
  }

  return {
    set(end) {
      const one = { dueAt: performance.now() + limitMs, end };
      waiting.add(one);
      if (!timer) watch(limitMs);
      return () => void waiting.delete(one);
    },
  };
}
