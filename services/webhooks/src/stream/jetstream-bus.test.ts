import { randomBytes } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { type Bus, BusOutage, createLocalBus } from "@shipping/kit/events/bus";
import { newId } from "@shipping/kit/ids";
import { silentLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import type { SubscribableBus } from "./inbox.js";
import { createJetStreamBus } from "./jetstream-bus.js";

const natsUrl = process.env.TEST_NATS_URL ?? "";
const open: SubscribableBus[] = [];
let nats: NatsConnection;
beforeAll(async () => {
  nats = await connect({ servers: natsUrl });
});
afterAll(() => nats.close());
afterEach(async () => {
  for (const bus of open.splice(0)) await bus.close();
});

const kinds = {
  LocalBus: () => createLocalBus(),
  JetStreamBus: () => createJetStreamBus({ url: natsUrl, name: "test", log: silentLog() }),
};

function opened(kind: keyof typeof kinds): SubscribableBus {
  const bus = kinds[kind]();
  open.push(bus);
  return bus;
}

const event = (): Event =>
  create(EventSchema, {
    id: newId("evt", randomBytes),
    type: "thing.created",
    accountId: newId("acc", randomBytes),
    environment: "sandbox",
    body: Buffer.from('{"ü":1}'),
  });

/** A subscriber that records the events that it received, and may refuse them. */
function collector(durable = newId("d", randomBytes)) {
  const got: Event[] = [];
  const dead: string[] = [];
  const refuse = { times: 0 };
  return {
    durable,
    got,
    dead,
    refuse,
    async onEvent(received: Event) {
      if (refuse.times-- > 0) throw new Error("not now");
      got.push(received);
    },
    async onDeadLetter(bytes: Uint8Array, _kind: string, reason: string) {
      dead.push(`${Buffer.from(bytes)}: ${reason}`);
    },
  };
}

async function subscribed(kind: keyof typeof kinds) {
  const bus = opened(kind);
  const subscriber = collector();
  return { bus, subscriber, subscription: await bus.subscribe(subscriber) };
}

const only = (got: readonly Event[], sent: readonly Event[]) => {
  const ids = new Set(sent.map(({ id }) => id));
  return got.filter(({ id }) => ids.has(id));
};

/** Publishes an event until the bus accepts it, as the outbox does. */
async function publishing(bus: Bus, sent: Event): Promise<void> {
  await eventually(() => bus.publish(sent));
}

async function publishingAll(bus: Bus, count: number): Promise<Event[]> {
  const sent = Array.from({ length: count }, event);
  await publishing(bus, sent[0]!);
  await Promise.all(sent.slice(1).map((one) => bus.publish(one)));
  return sent;
}

async function unacknowledged(durable: string): Promise<number> {
  const manager = await jetstreamManager(nats);
  return (await manager.consumers.info("EVENTS", durable)).num_ack_pending;
}

describe.each(["LocalBus", "JetStreamBus"] as const)("%s", (kind) => {
  test("hands an event over byte for byte, again and again until the subscriber takes it", async () => {
    const { bus, subscriber, subscription } = await subscribed(kind);
    const sent = event();
    subscriber.refuse.times = 2;
    await publishing(bus, sent);
    await eventually(async () => expect(only(subscriber.got, [sent])).toEqual([sent]));
    await subscription.stop();
  });

  test("an event that no stream would store is refused as an outage", async () => {
    if (kind === "JetStreamBus") await (await jetstreamManager(nats)).streams.delete("EVENTS").catch(() => {});
    const bus = opened(kind);
    await eventually(() => expect(bus.connected()).toBe(true));
    await expect(bus.publish(event())).rejects.toThrow(BusOutage);
  });

  test("after a subscription is stopped, no more events arrive", async () => {
    const { bus, subscriber, subscription } = await subscribed(kind);
    await publishing(bus, event());
    await subscription.stop();
    const before = subscriber.got.length;
    await bus.publish(event()).catch(() => {});
    expect(subscriber.got).toHaveLength(before);
  });
});

describe("JetStreamBus", () => {
  test("messages of one id count once within two minutes; another id for the same event is another message", async () => {
    const { bus, subscriber, subscription } = await subscribed("JetStreamBus");
    const sent = event();
    await publishing(bus, sent);
    await bus.publish(sent, sent.id);
    await bus.publish(sent, `${sent.id}.1`);
    await eventually(async () => expect(only(subscriber.got, [sent])).toHaveLength(2));
    await subscription.stop();
  });

  test("replicas that share a durable share the events", async () => {
    const durable = newId("d", randomBytes);
    const subscribers = [collector(durable), collector(durable)];
    const subscriptions = await Promise.all(subscribers.map((one) => opened("JetStreamBus").subscribe(one)));
    const bus = opened("JetStreamBus");
    const sent = Array.from({ length: 50 }, event);
    for (const one of sent) await publishing(bus, one);
    const all = () => subscribers.flatMap(({ got }) => only(got, sent).map(({ id }) => id));
    await eventually(async () => expect(new Set(all()).size).toBe(50));
    expect(all()).toHaveLength(50);
    for (const subscription of subscriptions) await subscription.stop();
  });

  // The test counts what the replica holds. The server may count more for a while, because messages are redelivered if late heartbeats end a fetch.
  test("a replica holds 512 events at most, and asks for more as it acknowledges them", async () => {
    const bus = opened("JetStreamBus");
    const ends: (() => void)[] = [];
    const got = new Set<string>();
    const onEvent = ({ id }: Event) => {
      got.add(id);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    const subscription = await bus.subscribe({ ...collector(), onEvent });
    const sent = [await publishingAll(bus, 500), await publishingAll(bus, 500), await publishingAll(bus, 500)].flat();
    await eventually(() => expect(ends).toHaveLength(512));
    while (!sent.every(({ id }) => got.has(id))) {
      expect(ends.length).toBeLessThanOrEqual(512);
      for (const end of ends.splice(0)) end();
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const end of ends.splice(0)) end();
    await subscription.stop();
  });

  test("a subscription that is stopped while it has no room fetches no more: the other replicas get the waiting events at once", async () => {
    const bus = opened("JetStreamBus");
    const durable = newId("d", randomBytes);
    const ends: (() => void)[] = [];
    const onEvent = () => new Promise<void>((resolve) => ends.push(resolve));
    const subscription = await bus.subscribe({ ...collector(durable), onEvent });
    await publishingAll(bus, 600);
    await eventually(() => expect(ends).toHaveLength(512));
    const stopping = subscription.stop();
    for (const end of ends.splice(0)) end();
    await stopping;
    expect(ends).toEqual([]);
    await eventually(async () => expect(await unacknowledged(durable)).toBe(0));
  });

  test("what cannot be understood, or is under the subject of another type or environment, is dead-lettered with its reason, and not delivered again", async () => {
    const { bus, subscriber, subscription } = await subscribed("JetStreamBus");
    await publishing(bus, event());
    const sent = event();
    const forged = (subject: string) => `published under ${subject}, as events.sandbox.thing.created`;
    for (const [subject, message, told] of [
      ["events.sandbox.thing.created", `not protobuf ${sent.id}`, `not protobuf ${sent.id}`],
      ["events.live.thing.created", toBinary(EventSchema, sent), forged("events.live.thing.created")],
      ["events.sandbox.thing.deleted", toBinary(EventSchema, sent), forged("events.sandbox.thing.deleted")],
    ] as const) {
      await jetstream(nats).publish(subject, message);
      await eventually(async () => expect(subscriber.dead.filter((text) => text.includes(told))).toHaveLength(1));
    }
    await eventually(async () => expect(await unacknowledged(subscriber.durable)).toBe(0));
    expect(only(subscriber.got, [sent])).toEqual([]);
    await subscription.stop();
  });

  test("a consumer or a stream that is deleted during use is created again", async () => {
    const { bus, subscriber, subscription } = await subscribed("JetStreamBus");
    const manager = await jetstreamManager(nats);
    await publishing(bus, event());
    await eventually(async () => expect(subscriber.got.length).toBeGreaterThan(0));
    await manager.consumers.delete("EVENTS", subscriber.durable);
    const next = event();
    await publishing(bus, next);
    await eventually(async () => expect(only(subscriber.got, [next]).length).toBeGreaterThan(0));
    await manager.streams.delete("EVENTS");
    const third = event();
    await publishing(bus, third);
    await eventually(async () => expect(only(subscriber.got, [third]).length).toBeGreaterThan(0));
    await subscription.stop();
  });

  test("without a connection, publish rejects at once with the reason, and a subscription can be stopped", async () => {
    const bus = createJetStreamBus({ url: "nats://127.0.0.1:1", name: "test", log: silentLog() });
    const subscription = await bus.subscribe(collector());
    expect(bus.connected()).toBe(false);
    await expect(bus.publish(event())).rejects.toThrow("The bus is not connected.");
    await subscription.stop();
    await bus.close();
  });
});
