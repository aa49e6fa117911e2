import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import type { Metrics } from "../process/metrics.js";

/** Handles the events of one durable subscription. */
export interface Subscriber {
  /** Name of the subscriber: replicas that share it share the events. */
  durable: string;
  /** Consumes an event. If it resolves, the event is acknowledged; if it rejects, the event is delivered again. */
  onEvent(event: Event): Promise<void>;
  /** Dead-letters a message that cannot be read, with the reason and, if its header has it, the ID of the event. */
  onDeadLetter(bytes: Uint8Array, reason: string, eventId?: string): Promise<void>;
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
  /** Whether the bus can be reached now. */
  connected(): boolean;
  /** Closes the connection once pending work is done. */
  close(): Promise<void>;
}

/** Measures whether the bus can be reached. */
export function measureBus(metrics: Metrics, bus: Pick<Bus, "connected">): void {
  const help = { bus_connected: "1 if the event bus is connected, 0 if not." };
  metrics.gauges(help, () => ({ bus_connected: bus.connected() ? 1 : 0 }));
}
