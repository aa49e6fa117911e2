import { setTimeout as sleep } from "node:timers/promises";
import { fromBinary } from "@bufbuild/protobuf";
import { type JsMsg, jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import { createInFlight } from "../process/in-flight.js";
import type { Log } from "../process/log.js";
import { isTracing, traced, traceparent } from "../process/tracing.js";
import type { Subscriber } from "./bus.js";
import { BUS_TIMEOUT_MS } from "./bus-connection.js";
import { EVENT_ID, MAX_UNACKNOWLEDGED, makeConsumer, makeStream, RETRY_MS, STREAM, toSubject } from "./event-stream.js";

const CONSUMER_TIMEOUT_MS = 1_000;
const FETCH_MS = 5_000;

interface ConsumerOptions {
  log: Log;
  /** Copies of the stream. */
  replicas: number | undefined;
  /** The connection; throws a `BusOutage` while there is none. */
  connection(): NatsConnection;
  /** Resolves with the first connection, or when the bus is closed before there is one. */
  first: Promise<unknown>;
  isClosed(): boolean;
}

/** Creates the stream and the subscriber's consumer, and consumes events until it is stopped or the bus is closed. After an error it starts over. */
export function consumeStream(options: ConsumerOptions, subscriber: Subscriber): { stop(): Promise<void> } {
  const { log, replicas, connection, first, isClosed } = options;
  const consuming = createInFlight();
  let stopped = false;
  let interrupt = () => {};

  async function consume(): Promise<void> {
    const nc = connection();
    const js = jetstream(nc, { timeout: CONSUMER_TIMEOUT_MS });
    const refusal = await makeStream({ nc, timeoutMs: BUS_TIMEOUT_MS }, replicas ?? 1);
    if (refusal) log.warn({ reason: refusal, replicas }, "stream not updated; used as it is");
    await makeConsumer({ nc, timeoutMs: BUS_TIMEOUT_MS }, subscriber.durable);
    const consumer = await js.consumers.get(STREAM, subscriber.durable);
    // Not `consume`: it asks for more as soon as messages arrive, so a whole backlog would wait in this process, unacknowledged.
    while (!stopped) {
      await consuming.below(MAX_UNACKNOWLEDGED / 2);
      if (stopped) return;
      // Two missed heartbeats, one second, end the fetch with an error: a new leader of the stream takes over within seconds.
      const room = { max_messages: MAX_UNACKNOWLEDGED - consuming.count(), expires: FETCH_MS, idle_heartbeat: 500 };
      const messages = await consumer.fetch(room);
      interrupt = () => messages.stop();
      if (stopped) messages.stop();
      for await (const message of messages) consuming.add(consumeMessage(message, subscriber, log));
    }
  }

  async function keepConsuming(): Promise<void> {
    // `interrupt` lets `stop` return before there is a connection.
    await Promise.race([first, new Promise<void>((resolve) => (interrupt = resolve))]);
    while (!stopped && !isClosed()) {
      try {
        await consume();
      } catch (err) {
        if (!stopped) log.warn({ err, durable: subscriber.durable }, "consumer ended; creating it again");
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
