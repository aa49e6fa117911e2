import { eventually } from "@shipping/kit/testing/eventually";
import type { ClusterUnderTest } from "../../platform/cluster.js";
import { AUDITED_TYPES } from "../chaos/audit.js";
import { arrivalsByEvent } from "../chaos/deliveries/arrivals.js";
import { newSubscriber, type Subscriber } from "../chaos/deliveries/subscriber.js";
import type { Customer } from "../chaos/mixed-load.js";
import { percentiles, seconds } from "../kit/statistics.js";

/** The receivers' observations under a load. Times are from the event's creation to its arrival. */
export interface DeliveriesSeen {
  delivered: number;
  /** Events that were sent more than once. */
  repeated: number;
  milliseconds: ReturnType<typeof percentiles>;
}

/** The receivers of customers who subscribe to all events of a mixed load. */
export interface Receivers {
  customers: Customer[];
  /** The longest delay in seconds of an event that was created between two times of `performance.now()`. */
  latestBetween(fromMs: number, toMs: number): number;
  /** Waits until this many events have arrived, or until the timeout. */
  seen(events: number, withinMs: number): Promise<DeliveriesSeen>;
  close(): Promise<void>;
}

/** Opens them. */
export async function openReceivers(cluster: ClusterUnderTest, customers = 2): Promise<Receivers> {
  const subscribers: Subscriber[] = await Promise.all(
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
    latestBetween(fromMs, toMs) {
      const late = delays().filter(({ createdMs }) => createdMs >= fromMs && createdMs < toMs);
      return seconds(late.reduce((latest, { lateMs }) => Math.max(latest, lateMs), 0));
    },
    async seen(events, withinMs) {
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
