import { setTimeout as sleep } from "node:timers/promises";
import type { Arrival } from "./event-receiver.js";
import type { AcknowledgedOrder } from "./order-load.js";

/** The measurements of a scenario, and the broken promises, as sentences. */
export interface Report {
  figures: Record<string, unknown>;
  broken: string[];
}

/** A report whose promises are `[kept, sentence]`. */
export function reportOf(figures: Report["figures"], promises: readonly (readonly [boolean, string])[]): Report {
  return { figures, broken: promises.filter(([kept]) => !kept).map(([, sentence]) => sentence) };
}

/** The given percentile of the numbers, rounded to tenths. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.floor(share * sorted.length));
  return Math.round((sorted[at] ?? Number.NaN) * 10) / 10;
}

/** From the API's response to the first arrival, in milliseconds, for each order that has arrived. */
export function latencies(orders: readonly AcknowledgedOrder[], arrivals: readonly Arrival[]): number[] {
  const first = firstArrivals(arrivals);
  return orders.flatMap(({ id, answeredMs }) => {
    const atMs = first.get(id);
    return atMs === undefined ? [] : [atMs - answeredMs];
  });
}

/** The number of missing orders once all have arrived, or after `withinMs`. */
export async function stillMissing(
  orders: readonly AcknowledgedOrder[],
  arrivals: readonly Arrival[],
  withinMs: number,
): Promise<number> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const had = firstArrivals(arrivals);
    const missing = orders.filter(({ id }) => !had.has(id)).length;
    if (missing === 0 || performance.now() > deadline) return missing;
    await sleep(100);
  }
}

/** The requests of each event, by its ID. */
export function arrivalsByEvent(arrivals: readonly Arrival[]): Map<string, Arrival[]> {
  const byEvent = new Map<string, Arrival[]>();
  for (const arrival of arrivals) byEvent.set(arrival.eventId, [...(byEvent.get(arrival.eventId) ?? []), arrival]);
  return byEvent;
}

/** Seconds with one decimal. */
export function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}

function firstArrivals(arrivals: readonly Arrival[]): Map<string, number> {
  const first = new Map<string, number>();
  for (const { resourceId, atMs } of arrivals) if (!first.has(resourceId)) first.set(resourceId, atMs);
  return first;
}
