import { setTimeout as sleep } from "node:timers/promises";

/** Retries an attempt until it does not throw, and returns its result. After `withinMs` (5 s) the last error is thrown. */
export async function eventually<T>(attempt: () => Promise<T> | T, options: { withinMs?: number } = {}): Promise<T> {
  const deadline = performance.now() + (options.withinMs ?? 5_000);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
      await sleep(20);
    }
  }
}
