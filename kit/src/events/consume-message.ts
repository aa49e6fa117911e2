import { fromBinary } from "@bufbuild/protobuf";
import type { JsMsg } from "@nats-io/jetstream";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import type { Log } from "../process/log.js";
import { isTracing, traced, traceparent } from "../process/tracing.js";
import type { Subscriber } from "./bus.js";
import { EVENT_ID, RETRY_MS, toSubject } from "./event-stream.js";

/** Hands a message to the subscriber and acknowledges it. If the subscriber rejects it, NATS delivers it again, after a longer pause each time. */
export async function consumeMessage(message: JsMsg, subscriber: Subscriber, log: Log): Promise<void> {
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
    await subscriber.onDeadLetter(message.data, reason, message.headers?.get(EVENT_ID) || undefined);
    message.term();
    return;
  }
  // NATS lets a producer publish only under its own subjects, so an event under another subject is forged and its ID cannot be trusted.
  if (message.subject !== toSubject(event)) {
    await subscriber.onDeadLetter(message.data, `published under ${message.subject}, as ${toSubject(event)}`);
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
