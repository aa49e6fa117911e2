import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";

/** The names that an installation uses on NATS. Another installation on the same NATS account needs a prefix. */
export interface BusNames {
  /** The stream that holds every event. */
  stream: string;
  /** The prefix of the subjects of all events. */
  subject: string;
}

/** Returns the names with a prefix, such as `blue_EVENTS` and `blue.events`, or the default names. */
export function busNames(prefix?: string): BusNames {
  return prefix === undefined
    ? { stream: "EVENTS", subject: "events" }
    : { stream: `${prefix}_EVENTS`, subject: `${prefix}.events` };
}

export const DEFAULT_NAMES = busNames();

/** The header with the event's ID, for messages that cannot be read. */
export const EVENT_ID = "Event-Id";

/** The header with the ID of the publisher's installation. */
export const OWNER_ID = "Owner-Id";

/** Returns the subject of an event. Without a prefix, NATS sees four tokens: `events.sandbox.order.created`. */
export function toSubject({ environment, type }: Pick<Event, "environment" | "type">, names = DEFAULT_NAMES): string {
  return `${names.subject}.${environment}.${type}`;
}
