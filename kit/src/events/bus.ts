import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import type { Metrics } from "../process/metrics.js";

/** Why a message is not accepted: it cannot be read, or it is not from a producer that may publish it. */
export type RefusalKind = "unreadable" | "forged";

/** Handles the events of one durable subscription. */
export interface Subscriber {
  /** Name of the subscriber: replicas that share it share the events. */
  durable: string;
  /** Consumes an event. If it resolves, the event is acknowledged; if it rejects, the event is delivered again. */
  onEvent(event: Event): Promise<void>;
  /** Dead-letters a message that is refused, with the reason and, if its header has it and can be trusted, the ID of the event. */
  onDeadLetter(bytes: Uint8Array, kind: RefusalKind, reason: string, eventId?: string): Promise<void>;
}

/** The bus takes no events at the moment: it cannot be reached, or it has no stream, no quorum or no room. */
export class BusOutage extends Error {}

/** Carries domain events from their owners to their subscribers, each at least once. */
export interface Bus {
  /**
   * Resolves when the bus has stored the event, and rejects with a `BusOutage` while the bus stores nothing. Messages with the same ID (the
   * event's, unless given) within two minutes count once.
   */
  publish(event: Event, messageId?: string): Promise<void>;
  /** Starts to consume events. `stop` waits for the events that are not acknowledged yet. */
  subscribe(subscriber: Subscriber): Promise<{ stop(): Promise<void> }>;
  connected(): boolean;
  /** Closes the connection once pending work is done. */
  close(): Promise<void>;
}

/** Measures whether the bus can be reached. */
export function measureBus(metrics: Metrics, bus: Pick<Bus, "connected">): void {
  const help = { bus_connected: "1 if the event bus is connected, 0 if not." };
  metrics.gauges(help, () => ({ bus_connected: bus.connected() ? 1 : 0 }));
}

/**
 * A bus inside one process: `publish` calls the subscribers and resolves only when all of them have acknowledged the event. With an outbox in
 * front, that is the same at-least-once guarantee as JetStream's.
 */
export function createLocalBus(): Bus {
  const subscribers = new Map<string, Subscriber>();
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  return {
    async publish(event) {
      if (closed || subscribers.size === 0) throw new BusOutage("The bus has no subscriber.");
      const handing = Promise.all([...subscribers.values()].map((subscriber) => subscriber.onEvent(event)));
      underWay.add(handing);
      await handing.finally(() => underWay.delete(handing));
    },
    async subscribe(subscriber) {
      subscribers.set(subscriber.durable, subscriber);
      return {
        async stop() {
          subscribers.delete(subscriber.durable);
          await Promise.allSettled(underWay);
        },
      };
    },
    connected: () => !closed,
    async close() {
      closed = true;
      await Promise.allSettled(underWay);
    },
  };
}
