import { setTimeout as sleep } from "node:timers/promises";
import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { createInFlight } from "../process/in-flight.js";
import type { Log } from "../process/log.js";
import type { Subscriber } from "./bus.js";
import { BUS_TIMEOUT_MS } from "./bus-connection.js";
import { consumeMessage } from "./consume-message.js";
import { MAX_UNACKNOWLEDGED, makeConsumer, makeStream, RETRY_MS, STREAM } from "./event-stream.js";

const CONSUMER_TIMEOUT_MS = 1_000;
const FETCH_MS = 5_000;

/** The connection that a consumer uses. */
export interface ConsumerOptions {
  log: Log;
  /** The number of copies that the stream should have. */
  replicas: number | undefined;
  /** The connection; throws a `BusOutage` while there is none. */
  connection(): NatsConnection;
  /** Resolves with the first connection, or when the bus is closed before there is one. */
  first: Promise<unknown>;
  /** Whether the bus is closed. */
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
