import {
  AckPolicy,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { type BusNames, DEFAULT_NAMES } from "@shipping/kit/events/bus-names";
import { findConsumerFlaw, findStreamFlaw, UNFILTERED_CONSUMER, UNLIMITED_STREAM } from "./stream-flaws.js";
import {
  type ExpectedOwner,
  type Mark,
  type Marked,
  marking,
  markOf,
  NotOwnerError,
  readMark,
  requireOwn,
} from "./stream-owner.js";

/** The most messages that a replica may have unacknowledged: enough for a few statements, so that no statement has to wait for the next fetch. */
export const MAX_UNACKNOWLEDGED = 512;

/** The pause before a failed step is repeated. */
export const RETRY_MS = 250;

// The error codes of JetStream for a missing stream and a missing consumer.
const NOT_FOUND = [10059, 10014];
const OVERLAP = 10065;
const DAY_MS = 86_400_000;

/** How to reach JetStream: the connection, the timeout, and the names in use. */
export interface StreamAccess {
  nc: NatsConnection;
  timeoutMs: number;
  names?: BusNames;
  /** The subject of JetStream's API, if it is not the default: that of a domain, or one that the account has imported. */
  apiPrefix?: string | undefined;
}

export function openManager({ nc, timeoutMs, apiPrefix }: StreamAccess): Promise<JetStreamManager> {
  return jetstreamManager(nc, { ...(apiPrefix && { apiPrefix }), timeout: timeoutMs, checkAPI: false });
}

/** The settings of a stream that an account or a server may limit. */
export interface StreamLimits {
  /** The number of copies of the stream. */
  replicas: number;
  /** The size at which the stream drops its oldest events; if it is absent, an existing stream keeps its size. */
  maxBytes?: number | undefined;
  /** How long the stream remembers the IDs of messages. */
  duplicateWindowMs: number;
  /**
   * Messages that dead replicas have not acknowledged count until `ack_wait` is over. Up to 31 dead replicas must not block the others.
   * Without a limit, a subscriber that rejects everything for hours would get all of it again and again.
   */
  maxAckPending: number;
}

/** Limits that are sufficient in every case; also the defaults of the settings. */
export const STREAM_LIMITS: StreamLimits = {
  replicas: 1,
  duplicateWindowMs: 120_000,
  maxAckPending: 32 * MAX_UNACKNOWLEDGED,
};

/**
 * Creates the stream, or updates the existing one to these settings. Any replica of the subscriber may do so at any time, concurrently; producers may
 * not. Resolves with the reason if NATS refuses the update, usually because it has fewer servers than the requested copies: the stream can still be
 * used unchanged. Throws the error of NATS if there is no stream and it refuses to create one, and `NotOwnerError` if there is one of another
 * installation, which is not changed.
 */
export async function makeStream(
  access: StreamAccess,
  limits: StreamLimits,
  expected?: ExpectedOwner,
): Promise<string | undefined> {
  const { stream, subject } = access.names ?? DEFAULT_NAMES;
  const { streams } = await openManager(access);
  const settings = {
    ...UNLIMITED_STREAM,
    name: stream,
    subjects: [`${subject}.>`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    max_age: nanos(7 * DAY_MS),
    duplicate_window: nanos(limits.duplicateWindowMs),
    num_replicas: limits.replicas,
    ...(limits.maxBytes && { max_bytes: limits.maxBytes }),
  };
  const find = async () => (await streams.info(stream)).config;
  try {
    const refusal = await make(access, expected, expected && markOf(expected), {
      what: `Stream ${stream}`,
      find,
      add: (marked) => streams.add({ ...settings, ...marked }),
      update: (marked) => streams.update(stream, { ...settings, ...marked }),
    });
    if (!refusal) return undefined;
    const flaw = findStreamFlaw(await find(), settings.subjects[0]!);
    return flaw ? `${refusal.message} (stream ${stream}: ${flaw})${await nameCulprit(refusal)}` : refusal.message;
  } catch (error) {
    const culprit = await nameCulprit(error);
    throw culprit ? new Error(`${(error as Error).message}${culprit}`) : error;
  }

  /** Names the other streams that store our subjects, if they are the reason. */
  async function nameCulprit(error: unknown): Promise<string> {
    if (!(error instanceof JetStreamApiError) || error.code !== OVERLAP) return "";
    const names: string[] = [];
    try {
      for await (const name of streams.names(`${subject}.>`)) if (name !== stream) names.push(name);
    } catch {
      return `: another stream stores ${subject}.>. Find it with: nats stream find --subject '${subject}.>'`;
    }
    return `: stream ${names.join(", ")} stores ${subject}.> too. Take these subjects away from it, or set BUS_PREFIX`;
  }
}

/** Says what was changed by hand so that events do not arrive or are lost; undefined if nothing was. */
export async function findFlaw(access: StreamAccess, durable: string): Promise<string | undefined> {
  const { stream, subject } = access.names ?? DEFAULT_NAMES;
  const { streams, consumers } = await openManager(access);
  const streamFlaw = findStreamFlaw((await streams.info(stream)).config, `${subject}.>`);
  const consumer = await consumers.info(stream, durable).catch(ignoreMissing);
  const consumerFlaw = consumer && findConsumerFlaw(consumer.config);
  const flaws = [
    streamFlaw && `stream ${stream}: ${streamFlaw}`,
    consumerFlaw && `consumer ${durable}: ${consumerFlaw}`,
  ];
  return flaws.filter(Boolean).join("; ") || undefined;
}

/**
 * Creates or updates the consumer that the replicas of a subscriber share. Resolves and throws as `makeStream` does. A consumer through which events
 * do not arrive, and which NATS does not update, is replaced. Its successor starts at the stream's first event.
 */
export async function makeConsumer(
  access: StreamAccess,
  durable: string,
  { maxAckPending }: StreamLimits,
  expected?: ExpectedOwner,
): Promise<string | undefined> {
  const { stream } = access.names ?? DEFAULT_NAMES;
  const { consumers } = await openManager(access);
  const settings = {
    ...UNFILTERED_CONSUMER,
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(30_000),
    max_deliver: -1,
    max_ack_pending: maxAckPending,
  };
  const find = async () => (await consumers.info(stream, durable)).config;
  const makeIt = () =>
    make(access, expected, expected && { installation: expected.name, id: expected.owner.id }, {
      what: `Consumer ${durable} of ${stream}`,
      find,
      add: (marked) => consumers.add(stream, { ...settings, ...marked }),
      update: (marked) => consumers.update(stream, durable, { ...settings, ...marked }),
    });
  const refusal = await makeIt();
  const flaw = findConsumerFlaw(await find());
  if (!flaw) return refusal?.message;
  try {
    await consumers.delete(stream, durable);
  } catch (error) {
    if (isMissing(error)) return (await makeIt())?.message;
    const remedy = `Delete it with: nats consumer rm ${stream} ${durable}. It is then created again.`;
    throw new Error(
      `Consumer ${durable} of ${stream} cannot be used: ${flaw}. It was not deleted: ${(error as Error).message}. ${remedy}`,
    );
  }
  return (await makeIt())?.message;
}

/** How to find, create and update a stream or a consumer. `what` names it. */
interface Made {
  what: string;
  find(): Promise<Marked>;
  add(marked: Marked): Promise<unknown>;
  update(marked: Marked): Promise<unknown>;
}

/** Creates it, or else updates it, with this mark. Throws `NotOwnerError` if it exists and another installation owns it. */
async function make(
  { nc }: StreamAccess,
  expected: ExpectedOwner | undefined,
  mark: Mark | undefined,
  { what, find, add, update }: Made,
): Promise<JetStreamApiError | undefined> {
  async function findOwn(): Promise<Marked> {
    const found = await find();
    if (expected) requireOwn(what, readMark(found), expected);
    return found;
  }

  try {
    // Servers before 2.10 would change an existing consumer.
    if (expected) await findOwn().catch(ignoreMissing);
    await add(mark ? marking(nc, mark) : {});
  } catch (refusal) {
    if (refusal instanceof NotOwnerError) throw refusal;
    try {
      const found = await findOwn();
      await update(mark ? marking(nc, mark, found) : {});
    } catch (error) {
      // The stream or consumer does not exist, so the reason why it could not be created is the useful one.
      if (isMissing(error)) throw refusal;
      if (!(error instanceof JetStreamApiError)) throw error;
      return error;
    }
  }
  return undefined;
}

const isMissing = (error: unknown) => error instanceof JetStreamApiError && NOT_FOUND.includes(error.code);

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** Returns the setting that may help if NATS refuses the stream or the consumer for this reason. */
export function findLimit(reason: string): string | undefined {
  return LIMITS.find(([words]) => words.test(reason))?.[1];
}

// The patterns match the messages of nats-server 2.9 to 2.15.
const LIMITS: readonly (readonly [RegExp, string])[] = [
  [/duplicate/i, "NATS_DUPLICATE_WINDOW_SECONDS"],
  [/ack pending/i, "NATS_MAX_ACK_PENDING"],
  [/max bytes|max stream bytes|resource/i, "NATS_STREAM_MAX_BYTES"],
  [/replicas/i, "NATS_REPLICAS"],
];
