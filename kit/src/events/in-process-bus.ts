import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import { type Bus, BusOutage, type Subscriber } from "./bus.js";

/**
 * A bus inside one process: `publish` calls the subscribers and resolves only when all of them have acknowledged the event. With an outbox in
 * front, that is the same at-least-once guarantee as JetStream's.
 */
export function createLocalBus(): Bus {
  const subscribers = new Map<string, Subscriber>();
  const underWay = new Set<Promise<void>>();
  let closed = false;

  async function hand(event: Event): Promise<void> {
    await Promise.all([...subscribers.values()].map((subscriber) => subscriber.onEvent(event)));
  }

  return {
    async publish(event) {
      if (closed || subscribers.size === 0) throw new BusOutage("The bus has no subscriber.");
      const handing = hand(event);
      underWay.add(handing);
      await handing.finally(() => underWay.delete(handing));
    },
    async subscribe(subscriber) {
      subscribers.set(subscriber.durable, subscriber);
      return {
        async stop() {
          subscribers.delete(subscriber.durable);
          await Promise.allSettled(underWay);
        },
      };
    },
    connected: () => !closed,
    async close() {
      closed = true;
      await Promise.allSettled(underWay);
    },
  };
}
