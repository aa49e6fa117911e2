/** Work that is under way in this process. */
export interface InFlight {
  /** Counts it until it ends. If it fails, so does the process: work that nobody waits for has to handle its errors. */
  add(work: Promise<unknown>): void;
  count(): number;
  /** Resolves as soon as less than that is under way. */
  below(limit: number): Promise<void>;
  /** Resolves as soon as nothing is under way. */
  idle(): Promise<void>;
}

/** Counts work, and does not collect it: a Set that every piece enters and leaves keeps each until the next full garbage collection. */
export function createInFlight(): InFlight {
  let count = 0;
  let waiting: { limit: number; resolve(): void }[] = [];

  function end(): void {
    count--;
    if (waiting.length === 0) return;
    for (const { limit, resolve } of waiting) if (count < limit) resolve();
    waiting = waiting.filter(({ limit }) => count >= limit);
  }

  async function below(limit: number): Promise<void> {
    while (count >= limit) await new Promise<void>((resolve) => waiting.push({ limit, resolve }));
  }

  return {
    add(work) {
      count++;
      void work.finally(end);
    },
    count: () => count,
    below,
    idle: () => below(1),
  };
}
