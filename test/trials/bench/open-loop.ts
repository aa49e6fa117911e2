import { setTimeout as sleep } from "node:timers/promises";

/** Executes one operation on a target; rejects if the response is not the expected one. */
export type Operation = () => Promise<unknown>;

/** The results of a load. Failed operations do not count. */
export interface Load {
  operations: number;
  seconds: number;
  /** Milliseconds of each operation. */
  latencies: number[];
}

/**
 * Open loop, for latency: operations begin at a steady rate whether or not others have ended, and a latency counts from the moment at which its
 * operation was due. So a target that stalls is charged for every operation that it delayed.
 */
export async function openLoop(operation: Operation, at: { rate: number; seconds: number }): Promise<Load> {
  const latencies: number[] = [];
  const begun = performance.now();
  const total = Math.round(at.rate * at.seconds);
  const underWay = new Set<Promise<void>>();
  for (let count = 0; count < total; ) {
    const due = begun + (count * 1000) / at.rate;
    if (performance.now() < due) {
      await sleep(1);
      continue;
    }
    count++;
    const timing: Promise<void> = timed(operation, due, latencies).finally(() => underWay.delete(timing));
    underWay.add(timing);
  }
  await Promise.all(underWay);
  return toLoad(latencies, begun);
}

/** Executes an operation, and adds its latency since the time `since` to the others. */
export async function timed(operation: Operation, since: number, latencies: number[]): Promise<void> {
  try {
    await operation();
    latencies.push(performance.now() - since);
  } catch {
    // The caller counts the failures, if they matter.
  }
}

/** The results since `begun`. */
export function toLoad(latencies: number[], begun: number): Load {
  return { operations: latencies.length, seconds: (performance.now() - begun) / 1000, latencies };
}

/** The smallest value that is at least as large as `share` (0 to 1) of all values. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}
