import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { type BusNames, DEFAULT_NAMES } from "./bus-names.js";
import { type Marked, marking, markOf, OfAnother, type Owner, readMark, requireOwn } from "./stream-owner.js";

/** The most messages that a replica may have unacknowledged: a few statements' worth, so that none of them has to wait for the next fetch. */
export const MAX_UNACKNOWLEDGED = 512;

/** The header with the event's ID, for messages that cannot be read. */
export const EVENT_ID = "Event-Id";

/** The header with the ID of the publisher's installation. */
export const OWNER_ID = "Owner-Id";

/** The pause before a failed step is repeated. */
export const RETRY_MS = 250;

// The error codes of JetStream for a missing stream and a missing consumer.
const NOT_FOUND = [10059, 10014];
const DAY_MS = 86_400_000;

/** The server to ask, and how long to wait. */
export interface Asking {
  nc: NatsConnection;
  timeoutMs: number;
  names?: BusNames;
  /** The subject under which JetStream's API is, if it is not the usual one: that of a domain, or one that the account has imported. */
  apiPrefix?: string | undefined;
}

/** The installation that the stream must belong to: its name and its owner. */
export interface Owning {
  name: string;
  owner: Owner;
}

export function openManager({ nc, timeoutMs, apiPrefix }: Asking): Promise<JetStreamManager> {
  return jetstreamManager(nc, { ...(apiPrefix && { apiPrefix }), timeout: timeoutMs, checkAPI: false });
}

/** What an account or a server may limit. */
export interface StreamLimits {
  /** Copies of the stream. */
  replicas: number;
  /** The size at which the stream drops its oldest events; without one, an existing stream keeps its own. */
  maxBytes?: number | undefined;
  /** How long the stream remembers the IDs of messages. */
  duplicateWindowMs: number;
  /**
   * Messages that dead replicas have not acknowledged count until `ack_wait` is over. Up to 31 dead replicas must not block the others.
   * Without a limit, a subscriber that rejects everything for hours would get all of it again and again.
   */
  maxAckPending: number;
}

/** Limits that allow everything that is needed; also the defaults of the settings. */
export const STREAM_LIMITS: StreamLimits = {
  replicas: 1,
  duplicateWindowMs: 120_000,
  maxAckPending: 32 * MAX_UNACKNOWLEDGED,
};

/**
 * Creates the stream, or updates the existing one to these settings. Any replica of the subscriber may do so at any time, concurrently;
 * producers may not. Resolves with the reason if NATS refuses the update, usually because it has fewer servers than the requested copies:
 * the stream can still be used as it is. Throws what NATS says if there is none and it refuses to create one, and `OfAnother` if there is
 * one of another installation, which is not changed.
 */
export async function makeStream(asking: Asking, limits: StreamLimits, owning?: Owning): Promise<string | undefined> {
  const { nc, names = DEFAULT_NAMES } = asking;
  const { stream } = names;
  const { streams } = await openManager(asking);
  const settings = {
    name: stream,
    subjects: [`${names.subject}.>`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(7 * DAY_MS),
    duplicate_window: nanos(limits.duplicateWindowMs),
    num_replicas: limits.replicas,
    ...(limits.maxBytes && { max_bytes: limits.maxBytes }),
  };
  const mark = owning && markOf(owning.name, owning.owner);
  const find = async () => (await streams.info(stream)).config;
  return make(
    async () => {
      if (owning) requireNoOther(`Stream ${stream}`, await find().catch(ifMissing), owning);
      await streams.add({ ...settings, ...(mark && marking(nc, mark)) });
    },
    async () => {
      const config = await find();
      if (owning) requireNoOther(`Stream ${stream}`, config, owning);
      await streams.update(stream, { ...settings, ...(mark && marking(nc, mark, config)) });
    },
  );
}

/** Creates or updates the consumer that the replicas of a subscriber share. Resolves and throws as `makeStream` does. */
export async function makeConsumer(
  asking: Asking,
  durable: string,
  { maxAckPending }: StreamLimits,
  owning?: Owning,
): Promise<string | undefined> {
  const { nc, names = DEFAULT_NAMES } = asking;
  const { stream } = names;
  const { consumers } = await openManager(asking);
  const settings = {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(30_000),
    max_deliver: -1,
    max_ack_pending: maxAckPending,
  };
  const mark = owning && { installation: owning.name, id: owning.owner.id };
  const find = async () => (await consumers.info(stream, durable)).config;
  return make(
    async () => {
      // Servers before 2.10 change a consumer that exists.
      if (owning) requireNoOther(`Consumer ${durable} of ${stream}`, await find().catch(ifMissing), owning);
      await consumers.add(stream, { ...settings, ...(mark && marking(nc, mark)) });
    },
    async () => {
      const config = await find();
      if (owning) requireNoOther(`Consumer ${durable} of ${stream}`, config, owning);
      await consumers.update(stream, durable, { ...settings, ...(mark && marking(nc, mark, config)) });
    },
  );
}

/** Throws `OfAnother` if the stream or the consumer exists and belongs to another. */
function requireNoOther(what: string, found: Marked | undefined, { name, owner }: Owning): void {
  if (found) requireOwn(what, readMark(found), name, owner);
}

function ifMissing(error: unknown): undefined {
  if (error instanceof JetStreamApiError && NOT_FOUND.includes(error.code)) return undefined;
  throw error;
}

async function make(add: () => Promise<unknown>, update: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await add();
  } catch (refusal) {
    if (refusal instanceof OfAnother) throw refusal;
    try {
      await update();
    } catch (error) {
      // It does not exist, so the reason why it could not be created is the useful one.
      if (error instanceof JetStreamApiError && NOT_FOUND.includes(error.code)) throw refusal;
      if (!(error instanceof JetStreamApiError)) throw error;
      return error.message;
    }
  }
  return undefined;
}

/** The setting that may help if NATS refuses the stream or the consumer for a reason. */
export function findLimit(reason: string): string | undefined {
  return LIMITS.find(([words]) => words.test(reason))?.[1];
}

// The words of nats-server 2.9 to 2.15.
const LIMITS: readonly (readonly [RegExp, string])[] = [
  [/duplicate/i, "NATS_DUPLICATE_WINDOW_SECONDS"],
  [/ack pending/i, "NATS_MAX_ACK_PENDING"],
  [/max bytes|max stream bytes|resource/i, "NATS_STREAM_MAX_BYTES"],
  [/replicas/i, "NATS_REPLICAS"],
];
