import { createClient } from "@connectrpc/connect";
import type { Caller } from "@shipping/kit/caller";
import { createLocalBus } from "@shipping/kit/events/bus";
import { silentLog } from "@shipping/kit/process/log";
import { inProcess } from "@shipping/kit/rpc/server";
import { eventually } from "@shipping/kit/testing/eventually";
import { newCaller, toSnapshot } from "@shipping/kit/testing/writes";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { verifySignature } from "./dispatch/signature.js";
import type { SubscribableBus } from "./stream/inbox.js";
import { withStatus } from "./testing/receiver.js";
import { findDelivery } from "./testing/stored-deliveries.js";
import {
  createRequest,
  eventFor,
  eventsFor,
  type ReplicaOptions,
  webhooksUnderTest,
} from "./testing/webhooks-under-test.js";

const webhooks = webhooksUnderTest(beforeEach, afterEach);

async function start(options: ReplicaOptions = {}) {
  const { bus, routes, stop } = await webhooks.running(options);
  const client = createClient(WebhooksService, inProcess(routes, silentLog()));
  async function subscribe(caller: Caller, url: string): Promise<{ id: string; secret: string }> {
    const { outcome } = await client.createSubscription(createRequest(caller, { url }));
    return toSnapshot(outcome!).json;
  }
  return { bus, client, routes, subscribe, stop };
}

describe("webhooks", () => {
  test("returns the rule that a url breaks", async () => {
    const { client } = await start();
    const fieldsOf = async (url: string) => (await client.checkSubscription({ caller: newCaller(), url })).fields;
    expect(await fieldsOf("https://hooks.example.com")).toEqual([]);
    expect(await fieldsOf("https://me@hooks.example.com")).toMatchObject([
      { path: "url", message: "must not carry credentials" },
    ]);
  });

  test("an event reaches the subscriptions of its account at once, signed with each one's secret", async () => {
    const { bus, subscribe } = await start();
    const receiver = await webhooks.receiver(withStatus(204));
    const caller = newCaller();
    const subscriptions = [await subscribe(caller, receiver.url), await subscribe(caller, receiver.url)];
    const event = eventFor(caller);
    await bus.publish(event);
    await eventually(() => expect(receiver.received).toHaveLength(2));
    const signedBy = receiver.received.map(({ body, headers }) => {
      expect(body).toEqual(Buffer.from(event.body));
      const signature = String(headers["service-signature"]);
      return subscriptions.findIndex(({ secret }) => verifySignature(secret, signature, body, Date.now() / 1000));
    });
    expect(signedBy.sort()).toEqual([0, 1]);
  });

  test("500 events at once are all delivered, though no subscription takes more than eight at a time", async () => {
    const { bus, subscribe } = await start();
    const receiver = await webhooks.receiver(withStatus(204));
    const callers = Array.from({ length: 5 }, () => newCaller());
    for (const caller of callers) await subscribe(caller, receiver.url);
    const events = Array.from({ length: 500 }, (_, n) => eventFor(callers[n % callers.length]!));
    await Promise.all(events.map((event) => bus.publish(event)));
    await eventually(() => expect(receiver.received).toHaveLength(500));
    expect(new Set(receiver.received.map(({ headers }) => headers["service-event-id"])).size).toBe(500);
  });

  test("a stop claims no more from its beginning, however long the inbox takes, and finishes the attempts under way; another replica continues", async () => {
    const bus = createLocalBus();
    let inboxStopped = () => {};
    const slowToStop: SubscribableBus = {
      ...bus,
      subscribe: async (subscriber) => {
        const inbox = await bus.subscribe(subscriber);
        return { ...inbox, stop: () => new Promise<void>((resolve) => (inboxStopped = resolve)).then(inbox.stop) };
      },
    };
    const first = await start({ bus: slowToStop });
    const held: (() => void)[] = [];
    const receiver = await webhooks.receiver((response) => held.push(() => response.writeHead(204).end()));
    const caller = newCaller();
    await first.subscribe(caller, receiver.url);
    const events = eventsFor(caller, 9);
    await Promise.all(events.map((event) => bus.publish(event)));
    await eventually(() => expect(held).toHaveLength(8));
    const stopping = first.stop();
    for (const answer of held.splice(0)) answer();
    const delivered = async () => {
      const found = await Promise.all(events.map(({ id }) => findDelivery(webhooks.db, { eventId: id })));
      return found.filter((delivery) => delivery?.state === "delivered").length;
    };
    await eventually(async () => expect(await delivered()).toBe(8));
    inboxStopped();
    await stopping;
    expect(receiver.received).toHaveLength(8);

    await start();
    await eventually(() => expect(held).toHaveLength(1));
    held[0]!();
  });

  test("a fast stop cuts attempts that take longer, and records them as failed", async () => {
    const { bus, subscribe, stop } = await start();
    const receiver = await webhooks.receiver(() => {});
    const caller = newCaller();
    await subscribe(caller, receiver.url);
    const event = eventFor(caller);
    await bus.publish(event);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    await stop(true);
    expect(await findDelivery(webhooks.db, { eventId: event.id })).toMatchObject({
      state: "pending",
      attempt: 1,
      lastError: "interrupted",
    });
  });
});
