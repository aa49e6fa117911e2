import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { JetStreamApiError, type JetStreamClient, type JsMsg, jetstream } from "@nats-io/jetstream";
import {
  ClosedConnectionError,
  DrainingConnectionError,
  headers,
  type NatsConnection,
  RequestError,
  TimeoutError,
} from "@nats-io/transport-node";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import { createInFlight } from "../process/in-flight.js";
import "../rpc/unary/text-encoding.js";
import { isTracing, traced, traceHeaders, traceparent } from "../process/tracing.js";
import { type Bus, BusOutage, type Subscriber } from "./bus.js";
import { BUS_TIMEOUT_MS, type BusConnectionOptions, keepConnected } from "./bus-connection.js";
import { MAX_UNACKNOWLEDGED, makeConsumer, makeStream, STREAM, subjectOf } from "./event-stream.js";

const EVENT_ID = "Event-Id";
const RETRY_MS = 250;
const CONSUMER_TIMEOUT_MS = 1_000;
const FETCH_MS = 5_000;

/** The bus on NATS JetStream. It connects, and reconnects, in the background; while there is no connection `publish` rejects. */
export function createJetStreamBus(options: BusConnectionOptions & { replicas?: number }): Bus {
  const { log } = options;
  const link = keepConnected(options);
  let js: JetStreamClient | undefined;
  let closed = false;

  /** The connection, always the same one, and its client. */
  function connected(): { nc: NatsConnection; js: JetStreamClient } {
    const nc = link.current();
    if (!nc) throw new BusOutage("The bus is not connected.");
    js ??= jetstream(nc, { timeout: BUS_TIMEOUT_MS });
    return { nc, js };
  }

  async function publish(event: Event, messageId = event.id): Promise<void> {
    const { js } = connected();
    const subject = subjectOf(event);
    const bytes = toBinary(EventSchema, event);
    const carry = headers();
    carry.set(EVENT_ID, event.id);
    for (const [name, value] of Object.entries(traceHeaders())) carry.set(name, value);
    // Without a stream this fails; the subscriber creates it, and the outbox publishes again.
    try {
      await js.publish(subject, bytes, { msgID: messageId, headers: carry, timeout: BUS_TIMEOUT_MS });
    } catch (error) {
      throw publishError(error);
    }
  }

  async function consumeMessage(message: JsMsg, subscriber: Subscriber): Promise<void> {
    let event: Event;
    try {
      event = fromBinary(EventSchema, message.data);
      if (!event.id || !event.type || !event.accountId) throw new Error("a field of the envelope is missing");
    } catch (err) {
      const reason = err instanceof Error ? err.message : String(err);
      await subscriber.onDeadLetter(message.data, reason, message.headers?.get(EVENT_ID) || undefined);
      message.term();
      return;
    }
    // NATS lets a producer publish under its own subjects only, so an event under another subject is forged, and its id not to be trusted.
    if (message.subject !== subjectOf(event)) {
      await subscriber.onDeadLetter(message.data, `published under ${message.subject}, as ${subjectOf(event)}`);
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

  async function consumeOrRetry(message: JsMsg, subscriber: Subscriber): Promise<void> {
    try {
      await consumeMessage(message, subscriber);
    } catch (err) {
      const delayMs = Math.min(30_000, RETRY_MS * 2 ** Math.min(message.info.deliveryCount, 10));
      log.warn({ err, stream_sequence: message.seq, delayMs }, "event not acknowledged; it will be redelivered");
      message.nak(delayMs);
    }
  }

  async function subscribe(subscriber: Subscriber): Promise<{ stop(): Promise<void> }> {
    const consuming = createInFlight();
    let stopped = false;
    let interrupt = () => {};

    async function consumeStream(): Promise<void> {
      const { nc } = connected();
      const js = jetstream(nc, { timeout: CONSUMER_TIMEOUT_MS });
      const refusal = await makeStream({ nc, timeoutMs: BUS_TIMEOUT_MS }, options.replicas ?? 1);
      if (refusal) log.warn({ reason: refusal, replicas: options.replicas }, "stream not updated; used as it is");
      await makeConsumer({ nc, timeoutMs: BUS_TIMEOUT_MS }, subscriber.durable);
      const consumer = await js.consumers.get(STREAM, subscriber.durable);
      // Not `consume`, which asks for more as soon as messages arrive: all of a backlog would wait in this process, unacknowledged.
      while (!stopped) {
        await consuming.below(MAX_UNACKNOWLEDGED / 2);
        if (stopped) return;
        // A second without a heartbeat ends it with an error: a new leader of the stream takes over within seconds.
        const room = { max_messages: MAX_UNACKNOWLEDGED - consuming.count(), expires: FETCH_MS, idle_heartbeat: 500 };
        const messages = await consumer.fetch(room);
        interrupt = () => messages.stop();
        if (stopped) messages.stop();
        for await (const message of messages) consuming.add(consumeOrRetry(message, subscriber));
      }
    }

    async function keepConsuming(): Promise<void> {
      // Before there is a connection, a stop must not wait for it.
      await Promise.race([link.first, new Promise<void>((resolve) => (interrupt = resolve))]);
      while (!stopped && !closed) {
        try {
          await consumeStream();
        } catch (err) {
          if (!stopped) log.warn({ err, durable: subscriber.durable }, "consumer ended; creating it again");
        }
        if (!stopped && !closed) await pause(RETRY_MS);
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

  return {
    publish,
    subscribe,
    connected: () => link.current() !== undefined,
    async close() {
      closed = true;
      await link.close();
    },
  };
}

/** Makes an outage of a publication's error, if it says nothing about the event. */
function publishError(error: unknown): unknown {
  const outage = (message: string) => new BusOutage(message, { cause: error });
  const { cause } = error as Error;
  if (cause instanceof RequestError && cause.isNoResponders())
    return outage(`Stream ${STREAM} is missing or has no leader.`);
  if (error instanceof TimeoutError) return outage(`Stream ${STREAM} did not confirm within ${BUS_TIMEOUT_MS} ms.`);
  if (error instanceof ClosedConnectionError || error instanceof DrainingConnectionError) return outage(error.message);
  return error instanceof JetStreamApiError && error.status >= 500 ? outage(error.message) : error;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
