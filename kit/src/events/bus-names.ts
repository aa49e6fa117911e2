import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";

/** The names that an installation uses on NATS. Another one on the same NATS account needs a prefix of its own. */
export interface BusNames {
  /** The stream that holds every event. */
  stream: string;
  /** What all subjects of events begin with. */
  subject: string;
}

/** Returns the names with a prefix, such as `blue_EVENTS` and `blue.events`, or the default ones. */
export function busNames(prefix?: string): BusNames {
  return prefix === undefined
    ? { stream: "EVENTS", subject: "events" }
    : { stream: `${prefix}_EVENTS`, subject: `${prefix}.events` };
}

export const DEFAULT_NAMES = busNames();

/** Where an event is published. Without a prefix, NATS sees four tokens: `events.sandbox.order.created`. */
export function toSubject({ environment, type }: Pick<Event, "environment" | "type">, names = DEFAULT_NAMES): string {
  return `${names.subject}.${environment}.${type}`;
}
