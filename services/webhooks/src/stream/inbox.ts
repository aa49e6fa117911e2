import type { Bus, StreamState } from "@shipping/kit/events/bus";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
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

/** A running subscription. */
export interface Inbox {
  /** Waits for the events that are not acknowledged yet. */
  stop(): Promise<void>;
  state(): StreamState;
  /** Makes this installation the owner of the stream, even if another one owns it. Throws a `BusOutage` while there is no connection. */
  claim(): Promise<void>;
}

/** A bus with the events that others publish. */
export interface SubscribableBus extends Bus {
  /** Starts to consume events. */
  subscribe(subscriber: Subscriber): Promise<Inbox>;
}

/** Measures whether the stream of an inbox belongs to another installation. */
export function measureInbox(metrics: Metrics, state: () => StreamState): void {
  const help = { bus_stream_of_another: "1 if the event stream belongs to another installation, 0 if not." };
  metrics.gauges(help, () => ({ bus_stream_of_another: state().whose === "another" ? 1 : 0 }));
}
