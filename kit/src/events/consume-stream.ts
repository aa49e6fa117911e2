import { setTimeout as sleep } from "node:timers/promises";
import { fromBinary } from "@bufbuild/protobuf";
import { type JsMsg, jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import { createInFlight } from "../process/in-flight.js";
import { type Log, onceAMinute } from "../process/log.js";
import { isTracing, traced, traceparent } from "../process/tracing.js";
import type { Subscriber } from "./bus.js";
import { BUS_TIMEOUT_MS } from "./bus-connection.js";
import {
  EVENT_ID,
  findLimit,
  MAX_UNACKNOWLEDGED,
  makeConsumer,
  makeStream,
  RETRY_MS,
  STREAM,
  type StreamLimits,
  toSubject,
} from "./event-stream.js";

const CONSUMER_TIMEOUT_MS = 1_000;
const FETCH_MS = 5_000;

interface ConsumerOptions {
  log: Log;
  limits: StreamLimits;
  /** The connection; throws a `BusOutage` while there is none. */
  connection(): NatsConnection;
  /** Resolves with the first connection, or when the bus is closed before there is one. */
  first: Promise<unknown>;
  isClosed(): boolean;
}

/** Creates the stream and the subscriber's consumer, and consumes events until it is stopped or the bus is closed. After an error it starts over. */
export function consumeStream(options: ConsumerOptions, subscriber: Subscriber): { stop(): Promise<void> } {
  const { log, limits, connection, first, isClosed } = options;
  const { durable } = subscriber;
  const isNews = onceAMinute();
  const consuming = createInFlight();
  let stopped = false;
  let interrupt = () => {};

  // Fetching is retried four times a second, but the same reason is logged only once a minute.
  function warn(what: string, reason: string | undefined): void {
    if (reason === undefined || !isNews(`${what} ${reason}`)) return;
    const setting = findLimit(reason);
    log.warn({ reason, durable, ...(setting && { setting }) }, what);
  }

  async function consume(): Promise<void> {
    const nc = connection();
    const js = jetstream(nc, { timeout: CONSUMER_TIMEOUT_MS });
    const asking = { nc, timeoutMs: BUS_TIMEOUT_MS };
    warn("stream not updated; used as it is", await makeStream(asking, limits));
    warn("consumer not updated; used as it is", await makeConsumer(asking, durable, limits));
    const consumer = await js.consumers.get(STREAM, durable);
    // Not `consume`: it asks for more as soon as messages arrive, so a whole backlog would wait in this process, unacknowledged.
    while (!stopped) {
      await consuming.below(MAX_UNACKNOWLEDGED / 2);
      if (stopped) return;
      // Two missed heartbeats, one second, end the fetch with an error: a new leader of the stream takes over within seconds.
      const room = { max_messages: MAX_UNACKNOWLEDGED - consuming.count(), expires: FETCH_MS, idle_heartbeat: 500 };
      const messages = await consumer.fetch(room);
      interrupt = () => messages.stop();
      if (stopped) messages.stop();
      let empty = true;
      for await (const message of messages) {
        empty = false;
        consuming.add(consumeMessage(message, subscriber, log));
      }
      if (empty && !stopped && (await consumer.info()).paused) {
        warn("no events are consumed", `An operator has paused the consumer ${durable}.`);
      }
    }
  }

  async function keepConsuming(): Promise<void> {
    // `interrupt` lets `stop` return before there is a connection.
    await Promise.race([first, new Promise<void>((resolve) => (interrupt = resolve))]);
    while (!stopped && !isClosed()) {
      try {
        await consume();
      } catch (err) {
        if (!stopped) warn("no events are consumed; trying again", (err as Error).message);
      }
      if (!stopped && !isClosed()) await sleep(RETRY_MS);
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
  };
}

/** Hands a message to the subscriber and acknowledges it. If the subscriber rejects it, NATS delivers it again, after a longer pause each time. */
async function consumeMessage(message: JsMsg, subscriber: Subscriber, log: Log): Promise<void> {
  try {
    await consumeOnce(message, subscriber);
  } catch (err) {
    const delayMs = Math.min(30_000, RETRY_MS * 2 ** Math.min(message.info.deliveryCount, 10));
    log.warn({ err, stream_sequence: message.seq, delayMs }, "event not acknowledged; it will be redelivered");
    message.nak(delayMs);
  }
}

async function consumeOnce(message: JsMsg, subscriber: Subscriber): Promise<void> {
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
  if (message.subject !== toSubject(event)) {
    const reason = `published under ${message.subject}, as ${toSubject(event)}`;
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
