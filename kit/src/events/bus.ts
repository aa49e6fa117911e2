import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import type { Metrics } from "../process/metrics.js";

/** The bus accepts no events at the moment: it cannot be reached, or it has no stream, no quorum or no room. */
export class BusOutage extends Error {}

/** Carries domain events from their owners to the subscriber, each at least once. */
export interface Bus {
  /**
   * Resolves when the bus has stored the event, and rejects with a `BusOutage` while the bus cannot store events. Messages with the same ID (the
   * event's, unless given) within two minutes count once.
   */
  publish(event: Event, messageId?: string): Promise<void>;
  connected(): boolean;
  /** Closes the connection once pending work is done. */
  close(): Promise<void>;
}

/** The owner of the stream, as the subscriber knows it. */
export interface StreamState {
  /** The name of the stream; empty for a bus inside one process. */
  stream: string;
  /** `unknown` until the subscriber has seen the stream; `another` if it belongs to another installation. */
  whose: "own" | "another" | "unknown";
  /** The ID of this installation; absent for a bus inside one process. */
  ownerId?: string | undefined;
  /** Why events are held: the installation that owns the stream, or what NATS refuses, in its words. */
  reason?: string | undefined;
}

/** Measures whether the bus can be reached. */
export function measureBus(metrics: Metrics, bus: Pick<Bus, "connected">): void {
  const help = { bus_connected: "1 if the event bus is connected, 0 if not." };
  metrics.gauges(help, () => ({ bus_connected: bus.connected() ? 1 : 0 }));
}

/**
 * A bus inside one process: `publish` calls the subscriber and resolves only when it has acknowledged the event. With an outbox in front, that
 * is the same at-least-once guarantee as JetStream's.
 */
export function createLocalBus() {
  let subscriber: { onEvent(event: Event): Promise<void> } | undefined;
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  return {
    async publish(event: Event): Promise<void> {
      if (closed || !subscriber) throw new BusOutage("The bus has no subscriber.");
      const handing = subscriber.onEvent(event);
      underWay.add(handing);
      await handing.finally(() => underWay.delete(handing));
    },
    async subscribe(added: NonNullable<typeof subscriber>) {
      subscriber = added;
      return {
        async stop(): Promise<void> {
          subscriber = undefined;
          await Promise.allSettled(underWay);
        },
        state: (): StreamState => ({ stream: "", whose: "own" }),
        claim: async (): Promise<void> => {},
      };
    },
    connected: () => !closed,
    async close(): Promise<void> {
      closed = true;
      await Promise.allSettled(underWay);
    },
  };
}
