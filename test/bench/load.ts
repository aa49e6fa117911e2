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

/** Closed loop, for throughput: each of `clients` does one operation after the other for `seconds`. */
export async function closedLoop(operation: Operation, at: { clients: number; seconds: number }): Promise<Load> {
  const latencies: number[] = [];
  const begun = performance.now();
  const end = begun + at.seconds * 1000;
  async function client(): Promise<void> {
    while (performance.now() < end) await timed(operation, performance.now(), latencies);
  }
  await Promise.all(Array.from({ length: at.clients }, client));
  return loadOf(latencies, begun);
}

/**
 * Open loop, for latency: operations begin at a steady rate whether or not others have ended, and a latency counts from the moment at
 * which its operation was due. So a target that stands still for a while is charged for everyone it kept waiting.
 */
export async function openLoop(operation: Operation, at: { rate: number; seconds: number }): Promise<Load> {
  const latencies: number[] = [];
  const begun = performance.now();
  const total = Math.round(at.rate * at.seconds);
  const underWay: Promise<void>[] = [];
  while (underWay.length < total) {
    const due = begun + (underWay.length * 1000) / at.rate;
    if (performance.now() < due) await sleep(Math.min(1, due - performance.now()));
    else underWay.push(timed(operation, due, latencies));
  }
  await Promise.all(underWay);
  return loadOf(latencies, begun);
}

async function timed(operation: Operation, since: number, latencies: number[]): Promise<void> {
  try {
    await operation();
    latencies.push(performance.now() - since);
  } catch {
    // The operation's author counts its failures, if they matter.
  }
}

function loadOf(latencies: number[], begun: number): Load {
  return { operations: latencies.length, seconds: (performance.now() - begun) / 1000, latencies };
}
