import { setTimeout as sleep } from "node:timers/promises";

const MAX_PAUSE_MS = 250;

/**
 * Retries an attempt until it does not throw, and returns its result. After `withinMs` (5 s) the last error is thrown. The longer it takes,
 * the longer the pauses: what is waited for shares the machine with the attempts.
 */
export async function eventually<T>(attempt: () => Promise<T> | T, options: { withinMs?: number } = {}): Promise<T> {
  const begun = performance.now();
  const deadline = begun + (options.withinMs ?? 5_000);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
      await sleep(Math.min(20 + (performance.now() - begun) / 10, MAX_PAUSE_MS));
    }
  }
}
