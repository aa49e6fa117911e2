/** Counts work instead of keeping it in a Set, which would keep each finished piece of work in memory until the next full garbage collection. */
export function createInFlight() {
  let count = 0;
  let waiting: { limit: number; resolve(): void }[] = [];

  function end(): void {
    count--;
    if (waiting.length === 0) return;
    for (const { limit, resolve } of waiting) if (count < limit) resolve();
    waiting = waiting.filter(({ limit }) => count >= limit);
  }

  /** Resolves as soon as fewer than `limit` are under way. */
  async function below(limit: number): Promise<void> {
    while (count >= limit) await new Promise<void>((resolve) => waiting.push({ limit, resolve }));
  }

  return {
    /** Counts the work until it ends. If the work fails, the process fails: background work must handle its own errors. */
    add(work: Promise<unknown>): void {
      count++;
      void work.finally(end);
    },
    count: () => count,
    below,
    /** Resolves as soon as all work has ended. */
    idle: () => below(1),
  };
}
