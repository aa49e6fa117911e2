import { setTimeout as sleep } from "node:timers/promises";
import { fromBinary } from "@bufbuild/protobuf";
import { type JsMsg, jetstream } from "@nats-io/jetstream";
import { millis } from "@nats-io/transport-node";
import { BUS_TIMEOUT_MS, type BusLink } from "@shipping/kit/events/bus-connection";
import { type BusNames, DEFAULT_NAMES, EVENT_ID, OWNER_ID, toSubject } from "@shipping/kit/events/bus-names";
import { createInFlight } from "@shipping/kit/process/in-flight";
import { type Log, onceAMinute } from "@shipping/kit/process/log";
import { isTracing, traced, traceparent } from "@shipping/kit/process/tracing";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import {
  findFlaw,
  findLimit,
  MAX_UNACKNOWLEDGED,
  makeConsumer,
  makeStream,
  RETRY_MS,
  type StreamAccess,
  type StreamLimits,
} from "./event-stream.js";
import type { Inbox, Subscriber } from "./inbox.js";
import { keepOwnership, type Ownership } from "./keep-ownership.js";

const CONSUMER_TIMEOUT_MS = 1_000;
const FETCH_MS = 5_000;

/** How often a subscriber that gets events checks whether an operator has changed the stream or the consumer by hand; one without checks each time. */
const LOOK_MS = 30_000;

/** How often a subscriber checks whether it has become the owner of another installation's stream. */
const FOREIGN_RETRY_MS = 2_000;

interface ConsumerOptions {
  log: Log;
  limits: StreamLimits;
  names?: BusNames;
  apiPrefix?: string | undefined;
  link: BusLink;
  /** How long a request for events waits. */
  fetchMs?: number | undefined;
}

/** Creates the stream and the subscriber's consumer, and consumes events until it is stopped or the bus is closed. After an error it starts over. */
export function consumeStream(options: ConsumerOptions, subscriber: Subscriber): Inbox {
  const { log, limits, names = DEFAULT_NAMES, apiPrefix, link, fetchMs = FETCH_MS } = options;
  const { durable } = subscriber;
  const ownership = keepOwnership(names.stream, subscriber.installation);
  const shouldLog = onceAMinute();
  const consuming = createInFlight();
  let stopped = false;
  let interrupt = () => {};
  // The reasons why events are held, for `doctor`: what NATS refuses to change, and why nothing is consumed.
  let notUpdated: string | undefined;
  let notConsumed: string | undefined;

  // Fetching is retried four times a second, but the same reason is logged only once a minute.
  function warn(what: string, reason: string | undefined): void {
    if (reason === undefined || !shouldLog(`${what} ${reason}`)) return;
    const setting = findLimit(reason);
    log.warn({ reason, durable, ...(setting && { setting }) }, what);
  }

  const getAccess = (): StreamAccess => ({ nc: link.connection(), timeoutMs: BUS_TIMEOUT_MS, names, apiPrefix });

  async function makeAll(access: StreamAccess): Promise<void> {
    try {
      const expected = await ownership.readExpected();
      const flaw = await findFlaw(access, durable).catch(() => undefined);
      const stream = await makeStream(access, limits, expected);
      warn("stream not updated; used as it is", stream);
      const consumer = await makeConsumer(access, durable, limits, expected);
      warn("consumer not updated; used as it is", consumer);
      notUpdated = [stream, consumer].filter(Boolean).join("; ") || undefined;
      if (!notUpdated) warn("changed by hand; set right", flaw);
      ownership.recordOutcome();
    } catch (error) {
      ownership.recordOutcome(error);
      throw error;
    }
    // Marks a stream that had no owner and could not be updated.
    await ownership.check(access, true);
  }

  async function consume(): Promise<void> {
    const access = getAccess();
    const js = jetstream(access.nc, { ...(apiPrefix && { apiPrefix }), timeout: CONSUMER_TIMEOUT_MS });
    await makeAll(access);
    const consumer = await js.consumers.get(names.stream, durable);
    const { max_batch = 0, max_expires = 0 } = (await consumer.info(true)).config;
    const mostMessages = max_batch > 0 ? max_batch : MAX_UNACKNOWLEDGED;
    const expires = max_expires > 0 ? Math.min(fetchMs, millis(max_expires)) : fetchMs;
    let lookedAt = performance.now();
    // `consume` would request more messages as soon as some arrive, so a whole backlog would wait in this process, unacknowledged.
    while (!stopped) {
      await consuming.below(MAX_UNACKNOWLEDGED / 2);
      if (stopped) return;
      await ownership.check(access);
      if (performance.now() - lookedAt > LOOK_MS) {
        lookedAt = performance.now();
        if (await findFlaw(access, durable)) await makeAll(access);
      }
      // Two missed heartbeats, which take one second, end the fetch with an error. So a new leader of the stream takes over within seconds.
      const most = Math.min(MAX_UNACKNOWLEDGED - consuming.count(), mostMessages);
      const room = { max_messages: most, expires, idle_heartbeat: 500 };
      const messages = await consumer.fetch(room);
      interrupt = () => messages.stop();
      if (stopped) messages.stop();
      let empty = true;
      for await (const message of messages) {
        empty = false;
        consuming.add(consumeMessage(message, { subscriber, ownership, access, names, log }));
      }
      if (empty) lookedAt = Number.NEGATIVE_INFINITY;
      const isPaused = empty && !stopped && (await consumer.info()).paused;
      notConsumed = isPaused ? `An operator has paused the consumer ${durable}.` : undefined;
      warn("no events are consumed", notConsumed);
    }
  }

  const pause = (ms: number) => {
    const interrupted = new Promise<void>((resolve) => (interrupt = resolve));
    return Promise.race([sleep(ms, undefined, { ref: false }), interrupted]);
  };

  async function keepConsuming(): Promise<void> {
    // `interrupt` lets `stop` return before there is a connection.
    await Promise.race([link.first, new Promise<void>((resolve) => (interrupt = resolve))]);
    while (!stopped && !link.isClosed()) {
      try {
        await consume();
      } catch (err) {
        notConsumed = (err as Error).message;
        if (!stopped) warn("no events are consumed; trying again", notConsumed);
      }
      if (!stopped && !link.isClosed())
        await pause(ownership.state().whose === "another" ? FOREIGN_RETRY_MS : RETRY_MS);
    }
  }

  const running = keepConsuming();
  return {
    async stop() {
      stopped = true;
      interrupt();
      await running;
      await consuming.idle();
    },
    state() {
      const state = ownership.state();
      return { ...state, reason: state.reason ?? notConsumed ?? notUpdated };
    },
    claim: () => ownership.claim(getAccess(), durable),
  };
}

interface Reading {
  subscriber: Subscriber;
  ownership: Ownership;
  access: StreamAccess;
  names: BusNames;
  log: Log;
}

/** Passes a message to the subscriber and acknowledges it. If the subscriber rejects it, NATS delivers it again, after a longer pause each time. */
async function consumeMessage(message: JsMsg, reading: Reading): Promise<void> {
  try {
    await consumeOnce(message, reading);
  } catch (err) {
    const { log } = reading;
    const delayMs = Math.min(30_000, RETRY_MS * 2 ** Math.min(message.info.deliveryCount, 10));
    log.warn({ err, stream_sequence: message.seq, delayMs }, "event not acknowledged; it will be redelivered");
    message.nak(delayMs);
  }
}

async function consumeOnce(message: JsMsg, { subscriber, ownership, access, names, log }: Reading): Promise<void> {
  const from = message.headers?.get(OWNER_ID);
  if (!(await ownership.accepts(access, from, message.seq))) {
    log.error({ from, stream_sequence: message.seq }, "event of another installation refused");
    subscriber.onForeign?.();
    message.term();
    return;
  }
  let event: Event;
  try {
    event = fromBinary(EventSchema, message.data);
    if (!event.id || !event.type || !event.accountId) throw new Error("a field of the envelope is missing");
  } catch (err) {
    const reason = err instanceof Error ? err.message : String(err);
    await subscriber.onDeadLetter(message.data, "unreadable", reason, message.headers?.get(EVENT_ID) || undefined);
    message.term();
    return;
  }
  // NATS lets a producer publish only under its own subjects, so an event under another subject is forged and its ID cannot be trusted.
  if (message.subject !== toSubject(event, names)) {
    const reason = `published under ${message.subject}, as ${toSubject(event, names)}`;
    await subscriber.onDeadLetter(message.data, "forged", reason);
    message.term();
    return;
  }
  const parent = isTracing() ? (message.headers?.get("traceparent") ?? "") : "";
  await traced(`consume ${event.type}`, { kind: "consumer", parent }, () => {
    event.traceparent = traceparent();
    return subscriber.onEvent(event);
  });
  message.ack();
}
