import { eventually } from "@shipping/kit/testing/eventually";
import type { ClusterUnderTest } from "../../platform/cluster.js";
import { AUDITED_TYPES } from "../chaos/audit.js";
import { arrivalsByEvent } from "../chaos/deliveries/arrivals.js";
import { newSubscriber } from "../chaos/deliveries/subscriber.js";
import { percentiles, seconds } from "../kit/statistics.js";

export type Receivers = Awaited<ReturnType<typeof openReceivers>>;

/** The receivers of customers who subscribe to all events of a mixed load. */
export async function openReceivers(cluster: ClusterUnderTest, customers = 2) {
  const subscribers = await Promise.all(
    Array.from({ length: customers }, () => newSubscriber(cluster, { events: AUDITED_TYPES })),
  );
  const byEvent = () => arrivalsByEvent(subscribers.flatMap(({ arrivals }) => [...arrivals]));
  const delays = () =>
    [...byEvent().values()].map(([first]) => {
      const createdMs = Date.parse(JSON.parse(String(first?.body)).created_at) - performance.timeOrigin;
      return { createdMs, lateMs: (first?.atMs ?? 0) - createdMs };
    });
  return {
    customers: subscribers,
    /** The longest delay in seconds of an event that was created between two times of `performance.now()`. */
    latestBetween(fromMs: number, toMs: number): number {
      const late = delays().filter(({ createdMs }) => createdMs >= fromMs && createdMs < toMs);
      return seconds(late.reduce((latest, { lateMs }) => Math.max(latest, lateMs), 0));
    },
    /** Waits until this many events have arrived, or until the timeout. Times are from an event's creation to its arrival. */
    async seen(events: number, withinMs: number) {
      await eventually(() => requireCount(byEvent().size, events), { withinMs }).catch(() => {});
      const late = delays().map(({ lateMs }) => lateMs);
      return {
        delivered: late.length,
        repeated: [...byEvent().values()].filter(({ length }) => length > 1).length,
        milliseconds: percentiles(late),
      };
    },
    async close() {
      await Promise.all(subscribers.map((subscriber) => subscriber.close()));
    },
  };
}

function requireCount(count: number, wanted: number): void {
  if (count < wanted) throw new Error(`${count} of ${wanted}`);
}
