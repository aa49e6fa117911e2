import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";

/** The stream that holds every event. */
export const STREAM = "EVENTS";

/** Where an event is published. NATS sees four tokens: `events.sandbox.order.created`. */
export function toSubject({ environment, type }: Pick<Event, "environment" | "type">): string {
  return `events.${environment}.${type}`;
}

/** The most messages that a replica may have unacknowledged: a few statements' worth, so that none of them has to wait for the next fetch. */
export const MAX_UNACKNOWLEDGED = 512;

/** The header with the event's ID, for messages that cannot be read. */
export const EVENT_ID = "Event-Id";

/** The pause before a failed step is repeated. */
export const RETRY_MS = 250;

const UNAVAILABLE = 503;
const DAY_MS = 86_400_000;

/** The server to ask, and how long to wait. */
interface Asking {
  nc: NatsConnection;
  timeoutMs: number;
}

/**
 * Creates the stream, or updates the existing one to these settings. Any replica of the subscriber may do so at any time, concurrently;
 * producers may not. Resolves with the reason if NATS refuses the update, usually because it has fewer servers than the requested copies:
 * the stream can still be used as it is.
 */
export async function makeStream({ nc, timeoutMs }: Asking, replicas: number): Promise<string | undefined> {
  const manager = await jetstreamManager(nc, { timeout: timeoutMs, checkAPI: false });
  const settings = {
    name: STREAM,
    subjects: ["events.>"],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(7 * DAY_MS),
    duplicate_window: nanos(120_000),
    num_replicas: replicas,
  };
  try {
    await manager.streams.add(settings).catch(() => manager.streams.update(STREAM, settings));
    return undefined;
  } catch (error) {
    // While JetStream is unavailable, nothing says that the stream exists.
    if (!(error instanceof JetStreamApiError) || error.status === UNAVAILABLE) throw error;
    await manager.streams.info(STREAM).catch(() => Promise.reject(error));
    return error.message;
  }
}

/** Creates or updates the consumer that the replicas of a subscriber share. */
export async function makeConsumer({ nc, timeoutMs }: Asking, durable: string): Promise<void> {
  const manager = await jetstreamManager(nc, { timeout: timeoutMs, checkAPI: false });
  const settings = {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(30_000),
    max_deliver: -1,
    // Messages that dead replicas have not acknowledged count until `ack_wait` is over. Up to 31 dead replicas must not block the others.
    // Without a limit, a subscriber that rejects everything for hours would get all of it again and again.
    max_ack_pending: 32 * MAX_UNACKNOWLEDGED,
  };
  await manager.consumers.add(STREAM, settings).catch(() => manager.consumers.update(STREAM, durable, settings));
}
