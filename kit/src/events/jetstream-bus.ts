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
import { type Bus, BusOutage, type Inbox, type StreamState, type Subscriber } from "./bus.js";
import { BUS_TIMEOUT_MS, type BusConnectionOptions, keepConnected } from "./bus-connection.js";
import { DEFAULT_NAMES, toSubject } from "./bus-names.js";
import { consumeStream } from "./consume-stream.js";
import { EVENT_ID, OWNER_ID, STREAM_LIMITS, type StreamLimits } from "./event-stream.js";
import { createOwnerLookup } from "./owner-lookup.js";

interface JetStreamBusOptions extends BusConnectionOptions {
  limits?: StreamLimits;
  /** The subject under which the subscriber finds JetStream's API. Publishers do not use it. */
  apiPrefix?: string | undefined;
  /** Asks the subscriber of the publisher's installation for the owner of the stream, because publishers may not read streams. */
  askSubscriber?(): Promise<StreamState | undefined>;
}

/** The bus on NATS JetStream. It connects and reconnects in the background. While there is no connection, `publish` rejects. */
export function createJetStreamBus(options: JetStreamBusOptions): Bus {
  const { names = DEFAULT_NAMES, apiPrefix } = options;
  const link = keepConnected(options);
  let js: JetStreamClient | undefined;
  let inbox: Inbox | undefined;
  let closed = false;
  const knownOwner = createOwnerLookup(options.askSubscriber ?? (async () => inbox?.state()));

  /** Returns the connection, which is always the same one, and its client. */
  function connected(): { nc: NatsConnection; js: JetStreamClient } {
    const nc = link.current();
    if (!nc) throw new BusOutage("The bus is not connected.");
    js ??= jetstream(nc, { timeout: BUS_TIMEOUT_MS });
    return { nc, js };
  }

  async function publish(event: Event, messageId = event.id): Promise<void> {
    const { js } = connected();
    const ownerId = await knownOwner();
    const subject = toSubject(event, names);
    const bytes = toBinary(EventSchema, event);
    const carry = headers();
    carry.set(EVENT_ID, event.id);
    if (ownerId) carry.set(OWNER_ID, ownerId);
    for (const [name, value] of Object.entries(traceHeaders())) carry.set(name, value);
    // This fails if there is no stream. The subscriber creates the stream, and the outbox publishes again.
    try {
      const expect = { streamName: names.stream };
      await js.publish(subject, bytes, { msgID: messageId, headers: carry, timeout: BUS_TIMEOUT_MS, expect });
    } catch (error) {
      throw publishError(error, names.stream);
    }
  }

  async function subscribe(subscriber: Subscriber): Promise<Inbox> {
    const { log, limits = STREAM_LIMITS } = options;
    const { first } = link;
    const common = { log, limits, names, apiPrefix, first };
    inbox = consumeStream({ ...common, connection: () => connected().nc, isClosed: () => closed }, subscriber);
    return inbox;
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

// The error code of JetStream for `Nats-Expected-Stream`.
const WRONG_STREAM = 10060;

/** Converts a publication's error to an outage, unless it is about the event itself. */
function publishError(error: unknown, stream: string): unknown {
  const outage = (message: string) => new BusOutage(message, { cause: error });
  const { cause } = error as Error;
  if (cause instanceof RequestError && cause.isNoResponders())
    return outage(`Stream ${stream} is missing or has no leader.`);
  if (error instanceof JetStreamApiError && error.code === WRONG_STREAM)
    return outage(
      `The subjects of events lead to another stream than ${stream}. Publishers and the subscriber need the same BUS_PREFIX.`,
    );
  if (error instanceof TimeoutError) return outage(`Stream ${stream} did not confirm within ${BUS_TIMEOUT_MS} ms.`);
  if (error instanceof ClosedConnectionError || error instanceof DrainingConnectionError) return outage(error.message);
  return error instanceof JetStreamApiError && error.status >= 500 ? outage(error.message) : error;
}
