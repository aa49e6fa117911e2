/** Work that is under way in this process. */
export interface InFlight {
  /** Counts it until it ends. If it fails, so does the process: work that nobody waits for has to handle its errors. */
  add(work: Promise<unknown>): void;
  count(): number;
  /** Resolves as soon as nothing is under way. */
  idle(): Promise<void>;
}

/** Counts work, and does not collect it: a Set that every piece enters and leaves keeps each until the next full garbage collection. */
export function createInFlight(): InFlight {
  let count = 0;
  let waiting: (() => void)[] = [];

  function end(): void {
    count--;
    if (count > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    add(work) {
      count++;
      void work.finally(end);
    },
    count: () => count,
    async idle() {
      while (count > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}
