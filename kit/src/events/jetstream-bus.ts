import { toBinary } from "@bufbuild/protobuf";
import { JetStreamApiError, type JetStreamClient, jetstream } from "@nats-io/jetstream";
import {
  ClosedConnectionError,
  DrainingConnectionError,
  headers,
  type NatsConnection,
  RequestError,
  TimeoutError,
} from "@nats-io/transport-node";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import "../rpc/unary/protocol.js";
import { traceHeaders } from "../process/tracing.js";
import { type Bus, BusOutage, type Subscriber } from "./bus.js";
import { BUS_TIMEOUT_MS, type BusConnectionOptions, keepConnected } from "./bus-connection.js";
import { consumeStream } from "./consume-stream.js";
import { EVENT_ID, STREAM, STREAM_LIMITS, type StreamLimits, toSubject } from "./event-stream.js";

/** The bus on NATS JetStream. It connects and reconnects in the background. While there is no connection, `publish` rejects. */
export function createJetStreamBus(options: BusConnectionOptions & { limits?: StreamLimits }): Bus {
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
    const subject = toSubject(event);
    const bytes = toBinary(EventSchema, event);
    const carry = headers();
    carry.set(EVENT_ID, event.id);
    for (const [name, value] of Object.entries(traceHeaders())) carry.set(name, value);
    // This fails if there is no stream. The subscriber creates the stream, and the outbox publishes again.
    try {
      await js.publish(subject, bytes, { msgID: messageId, headers: carry, timeout: BUS_TIMEOUT_MS });
    } catch (error) {
      throw publishError(error);
    }
  }

  async function subscribe(subscriber: Subscriber): Promise<{ stop(): Promise<void> }> {
    const { log, limits = STREAM_LIMITS } = options;
    const { first } = link;
    return consumeStream({ log, limits, first, connection: () => connected().nc, isClosed: () => closed }, subscriber);
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

/** Turns a publication's error into an outage, unless it is about the event itself. */
function publishError(error: unknown): unknown {
  const outage = (message: string) => new BusOutage(message, { cause: error });
  const { cause } = error as Error;
  if (cause instanceof RequestError && cause.isNoResponders())
    return outage(`Stream ${STREAM} is missing or has no leader.`);
  if (error instanceof TimeoutError) return outage(`Stream ${STREAM} did not confirm within ${BUS_TIMEOUT_MS} ms.`);
  if (error instanceof ClosedConnectionError || error instanceof DrainingConnectionError) return outage(error.message);
  return error instanceof JetStreamApiError && error.status >= 500 ? outage(error.message) : error;
}
