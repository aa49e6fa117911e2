import { type BusConnectionOptions, keepConnected } from "@shipping/kit/events/bus-connection";
import { createJetStreamPublisher } from "@shipping/kit/events/jetstream-publisher";
import { consumeStream } from "./consume-stream.js";
import { STREAM_LIMITS, type StreamLimits } from "./event-stream.js";
import type { Inbox, SubscribableBus } from "./inbox.js";

interface JetStreamBusOptions extends BusConnectionOptions {
  limits?: StreamLimits;
  /** The subject of JetStream's API, if it is not the default. */
  apiPrefix?: string | undefined;
  /** How long a request for events waits (5,000). */
  fetchMs?: number;
}

/** The bus on NATS JetStream, with the subscriber that creates its stream. */
export function createJetStreamBus(options: JetStreamBusOptions): SubscribableBus {
  const { limits = STREAM_LIMITS } = options;
  const link = keepConnected(options);
  let inbox: Inbox | undefined;
  const publisher = createJetStreamPublisher({ ...options, askSubscriber: async () => inbox?.state() }, link);
  return {
    ...publisher,
    async subscribe(subscriber) {
      inbox = consumeStream({ ...options, limits, link }, subscriber);
      return inbox;
    },
  };
}
