import { setTimeout as sleep } from "node:timers/promises";

/** Executes one operation on a target; rejects if the response is not the expected one. */
export type Operation = () => Promise<unknown>;

/** The results of a load. Failed operations do not count: a caller to whom they matter counts them itself. */
export interface Load {
  operations: number;
  seconds: number;
  /** Milliseconds of each operation. */
  latencies: number[];
}

/** Closed loop, for throughput: each of `clients` does one operation after the other for `seconds`. */
export async function closedLoop(operation: Operation, at: { clients: number; seconds: number }): Promise<Load> {
  const latencies: number[] = [];
  const begun = performance.now();
  const end = begun + at.seconds * 1000;
  await eachOf(at.clients, async () => {
    while (performance.now() < end) await timed(operation, performance.now(), latencies);
  });
  return toLoad(latencies, begun);
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

/** Does some work for each item, `clients` at a time. */
export async function inParallel<Item, Result>(
  items: Iterable<Item>,
  clients: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items[Symbol.iterator]();
  await eachOf(clients, async () => {
    for (let next = left.next(); !next.done; next = left.next()) results.push(await work(next.value));
  });
  return results;
}

/** Lets that many clients work at once. */
export async function eachOf(clients: number, client: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: clients }, client));
}

async function timed(operation: Operation, since: number, latencies: number[]): Promise<void> {
  try {
    await operation();
    latencies.push(performance.now() - since);
  } catch {
    // See `Load`.
  }
}

function toLoad(latencies: number[], begun: number): Load {
  return { operations: latencies.length, seconds: (performance.now() - begun) / 1000, latencies };
}
