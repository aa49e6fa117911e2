import { setTimeout as sleep } from "node:timers/promises";
import type { Arrival } from "../../kit/event-receiver.js";
import type { AcknowledgedOrder } from "./order-load.js";

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

function firstArrivals(arrivals: readonly Arrival[]): Map<string, number> {
  const first = new Map<string, number>();
  for (const { resourceId, atMs } of arrivals) first.set(resourceId(), Math.min(atMs, first.get(resourceId()) ?? atMs));
  return first;
}
