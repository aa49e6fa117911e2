import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import type { Metrics } from "../process/metrics.js";
import type { Installation } from "./stream-owner.js";

/** Why a message is refused: it cannot be read, or its producer may not publish it. */
export type RefusalKind = "unreadable" | "forged";

/** Handles the events of one durable subscription. */
export interface Subscriber {
  /** Name of the subscriber: replicas that share it share the events. */
  durable: string;
  /** Consumes an event. If it resolves, the event is acknowledged; if it rejects, the event is delivered again. */
  onEvent(event: Event): Promise<void>;
  /** Dead-letters a refused message, with the reason and, if its header has it and can be trusted, the ID of the event. */
  onDeadLetter(bytes: Uint8Array, kind: RefusalKind, reason: string, eventId?: string): Promise<void>;
  /** The installation that must own the stream. If it is absent, the subscriber uses any stream. */
  installation?: Installation;
  /** Called for a message from another installation. Such a message is refused and not stored, because it is about customers of others. */
  onForeign?(): void;
}

/** The owner of the stream, as the subscriber knows it. */
export interface StreamState {
  /** The name of the stream; empty for a bus inside one process. */
  stream: string;
  /** `unknown` until the subscriber has seen the stream; `another` if it belongs to another installation. */
  whose: "own" | "another" | "unknown";
  /** The ID of this installation; absent for a bus inside one process. */
  ownerId?: string | undefined;
  /** If another installation owns the stream: one sentence that names it, and the remedy. */
  reason?: string | undefined;
}

/** A running subscription. */
export interface Inbox {
  /** Waits for the events that are not acknowledged yet. */
  stop(): Promise<void>;
  state(): StreamState;
  /** Makes this installation the owner of the stream, even if another one owns it. Throws a `BusOutage` while there is no connection. */
  claim(): Promise<void>;
}

/** The bus accepts no events at the moment: it cannot be reached, or it has no stream, no quorum or no room. */
export class BusOutage extends Error {}

/** Carries domain events from their owners to their subscribers, each at least once. */
export interface Bus {
  /**
   * Resolves when the bus has stored the event, and rejects with a `BusOutage` while the bus cannot store events. Messages with the same ID (the
   * event's, unless given) within two minutes count once.
   */
  publish(event: Event, messageId?: string): Promise<void>;
  /** Starts to consume events. */
  subscribe(subscriber: Subscriber): Promise<Inbox>;
  connected(): boolean;
  /** Closes the connection once pending work is done. */
  close(): Promise<void>;
}

/** Measures whether the bus can be reached. */
export function measureBus(metrics: Metrics, bus: Pick<Bus, "connected">): void {
  const help = { bus_connected: "1 if the event bus is connected, 0 if not." };
  metrics.gauges(help, () => ({ bus_connected: bus.connected() ? 1 : 0 }));
}

/** Measures whether the stream of an inbox belongs to another installation. */
export function measureInbox(metrics: Metrics, state: () => StreamState): void {
  const help = { bus_stream_of_another: "1 if the event stream belongs to another installation, 0 if not." };
  metrics.gauges(help, () => ({ bus_stream_of_another: state().whose === "another" ? 1 : 0 }));
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
        state: () => ({ stream: "", whose: "own" }),
        claim: async () => {},
      };
    },
    connected: () => !closed,
    async close() {
      closed = true;
      await Promise.allSettled(underWay);
    },
  };
}
