import { toBinary } from "@bufbuild/protobuf";
import { JetStreamApiError, type JetStreamClient, jetstream } from "@nats-io/jetstream";
import {
  ClosedConnectionError,
  DrainingConnectionError,
  headers,
  RequestError,
  TimeoutError,
} from "@nats-io/transport-node";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import "../rpc/unary/protocol.js";
import { traceHeaders } from "../process/tracing.js";
import { type Bus, BusOutage, type StreamState } from "./bus.js";
import { BUS_TIMEOUT_MS, type BusConnectionOptions, keepConnected } from "./bus-connection.js";
import { DEFAULT_NAMES, EVENT_ID, OWNER_ID, toSubject } from "./bus-names.js";
import { createOwnerLookup } from "./owner-lookup.js";

interface PublisherOptions extends BusConnectionOptions {
  /** Asks the subscriber of the publisher's installation for the owner of the stream, because publishers may not read streams. */
  askSubscriber(): Promise<StreamState | undefined>;
}

/** Publishes to NATS JetStream. It connects and reconnects in the background. While there is no connection, `publish` rejects. */
export function createJetStreamPublisher(options: PublisherOptions, link = keepConnected(options)): Bus {
  const { names = DEFAULT_NAMES } = options;
  const knownOwner = createOwnerLookup(options.askSubscriber);
  let js: JetStreamClient | undefined;

  async function publish(event: Event, messageId = event.id): Promise<void> {
    const connection = link.connection();
    js ??= jetstream(connection, { timeout: BUS_TIMEOUT_MS });
    const ownerId = await knownOwner();
    const carry = headers();
    carry.set(EVENT_ID, event.id);
    if (ownerId) carry.set(OWNER_ID, ownerId);
    for (const [name, value] of Object.entries(traceHeaders())) carry.set(name, value);
    const settings = {
      msgID: messageId,
      headers: carry,
      timeout: BUS_TIMEOUT_MS,
      expect: { streamName: names.stream },
    };
    // This fails if there is no stream. The subscriber creates the stream, and the outbox publishes again.
    try {
      await js.publish(toSubject(event, names), toBinary(EventSchema, event), settings);
    } catch (error) {
      throw publishError(error, names.stream);
    }
  }

  return { publish, connected: link.isConnected, close: link.close };
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
