import { type Load, type Operation, timed, toLoad } from "./open-loop.js";

/** Closed loop, for throughput: each of `clients` does one operation after the other for `seconds`. */
export async function closedLoop(operation: Operation, at: { clients: number; seconds: number }): Promise<Load> {
  const latencies: number[] = [];
  const begun = performance.now();
  const end = begun + at.seconds * 1000;
  async function client(): Promise<void> {
    while (performance.now() < end) await timed(operation, performance.now(), latencies);
  }
  await Promise.all(Array.from({ length: at.clients }, client));
  return toLoad(latencies, begun);
}
