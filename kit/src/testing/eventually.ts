import { setTimeout as sleep } from "node:timers/promises";

const MAX_WAIT_MS = 120_000;
const MAX_PAUSE_MS = 250;

/**
 * Retries an attempt until it does not throw, and returns its result. After `withinMs` (two minutes) the last error is thrown: this is long
 * enough for a busy machine, and only a failing test waits so long. The pauses grow, because the awaited work shares the machine with the
 * attempts.
 */
export async function eventually<T>(attempt: () => Promise<T> | T, options: { withinMs?: number } = {}): Promise<T> {
  const begun = performance.now();
  const deadline = begun + (options.withinMs ?? MAX_WAIT_MS);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
      await sleep(Math.min(20 + (performance.now() - begun) / 10, MAX_PAUSE_MS));
    }
  }
}

/**
 * Runs a test of counters that are kept in windows of that many minutes; again if it failed and a window ended meanwhile. It counts from
 * zero each time.
 */
export function withinWindow(minutes: number, run: () => Promise<void>): () => Promise<void> {
  const currentWindow = () => Math.floor(Date.now() / (minutes * 60_000));
  return async () => {
    for (;;) {
      const begun = currentWindow();
      try {
        return await run();
      } catch (error) {
        if (currentWindow() === begun) throw error;
      }
    }
  };
}
