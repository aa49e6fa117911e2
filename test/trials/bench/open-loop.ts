import { setTimeout as sleep } from "node:timers/promises";

/** Does one operation against a target; rejects if the answer was not the expected one. */
export type Operation = () => Promise<unknown>;

/** What a load has done. Operations that failed count nowhere. */
export interface Load {
  operations: number;
  seconds: number;
  /** Milliseconds of each operation. */
  latencies: number[];
}

/**
 * Open loop, for latency: operations begin at a steady rate whether or not others have ended, and a latency counts from the moment at
 * which its operation was due. So a target that stands still for a while is charged for everyone it kept waiting.
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

/** Does an operation, and adds its latency `since` a time to the others. */
export async function timed(operation: Operation, since: number, latencies: number[]): Promise<void> {
  try {
    await operation();
    latencies.push(performance.now() - since);
  } catch {
    // The operation's author counts its failures, if they matter.
  }
}

/** What has been done since `begun`. */
export function toLoad(latencies: number[], begun: number): Load {
  return { operations: latencies.length, seconds: (performance.now() - begun) / 1000, latencies };
}

/** The least value that `share` (0 to 1) of all values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}
