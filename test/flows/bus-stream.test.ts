import { create, toBinary } from "@bufbuild/protobuf";
import { DiscardPolicy, JetStreamApiError, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, headers, type NatsConnection, nanos } from "@nats-io/transport-node";
import { BusOutage } from "@shipping/kit/events/bus";
import { DEFAULT_NAMES, EVENT_ID, toSubject } from "@shipping/kit/events/bus-names";
import { silentLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import { findLimit, makeConsumer, makeStream, STREAM_LIMITS } from "@shipping/webhooks/stream/event-stream";
import type { SubscribableBus } from "@shipping/webhooks/stream/inbox";
import { createJetStreamBus } from "@shipping/webhooks/stream/jetstream-bus";
import { newEvent, type OwnNats, ownNats } from "../platform/bus.js";

const DAY_MS = 86_400_000;
const { stream: STREAM } = DEFAULT_NAMES;

// A server of its own, as these tests change and delete its stream.
let server: OwnNats;
let nats: NatsConnection;
let bus: SubscribableBus;
beforeAll(async () => {
  server = await ownNats();
});
afterAll(() => server.stop());
beforeEach(async () => {
  nats = await connect({ servers: server.url });
  await makeStream({ nc: nats, timeoutMs: 20_000 }, STREAM_LIMITS);
  bus = createJetStreamBus({ url: server.url, name: "test", log: silentLog() });
  await eventually(() => expect(bus.connected()).toBe(true));
});
afterEach(async () => {
  await (await jetstreamManager(nats)).streams.delete(STREAM).catch(() => {});
  await bus.close();
  await nats.close();
});

/** A subscriber that records its events with the time of each attempt, and rejects the first `rejected` of them. */
function subscriber(durable: string, rejected = 0) {
  const tries: number[] = [];
  const dead: unknown[][] = [];
  return {
    durable,
    tries,
    dead,
    async onEvent() {
      if (tries.push(performance.now()) <= rejected) throw new Error("not now");
    },
    onDeadLetter: async (_bytes: Uint8Array, ...told: unknown[]) => void dead.push(told),
  };
}

describe("a publication", () => {
  test("is an outage where the stream is full, and refused where it does not take so large an event", async () => {
    await bus.publish(newEvent());
    const { streams } = await jetstreamManager(nats);
    await streams.update(STREAM, { discard: DiscardPolicy.New, max_msgs: 1 });
    await expect(bus.publish(newEvent())).rejects.toBeInstanceOf(BusOutage);
    await streams.update(STREAM, { max_msgs: -1, max_msg_size: 10 });
    await expect(bus.publish(newEvent())).rejects.toBeInstanceOf(JetStreamApiError);
  });

  test("is an outage where the stream is missing, does not confirm, or the connection is being closed", async () => {
    await (await jetstreamManager(nats)).streams.delete(STREAM);
    await expect(bus.publish(newEvent())).rejects.toThrow("Stream EVENTS is missing or has no leader.");
    nats.subscribe("events.>");
    await nats.flush();
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "performance"] });
    const unconfirmed = expect(bus.publish(newEvent())).rejects.toThrow("did not confirm within 3000 ms");
    jest.advanceTimersByTime(3_000);
    jest.useRealTimers();
    await unconfirmed;
    const closing = bus.close();
    await Promise.resolve();
    await expect(bus.publish(newEvent())).rejects.toBeInstanceOf(BusOutage);
    await closing;
    expect(bus.connected()).toBe(false);
  });

  test("carries the ID of its event where a message that cannot be read has it, too", async () => {
    const event = newEvent();
    await bus.publish(event);
    const { streams } = await jetstreamManager(nats);
    const message = await streams.getMessage(STREAM, { last_by_subj: toSubject(event) });
    expect(message?.header.get(EVENT_ID)).toBe(event.id);
    expect(message?.header.get("Nats-Msg-Id")).toBe(event.id);
  });
});

test("an event without a field of the envelope becomes a dead event, with the ID in its header if there is one", async () => {
  const got = subscriber("dead");
  const subscription = await bus.subscribe(got);
  const event = newEvent();
  for (const field of ["id", "type", "accountId"] as const) {
    const { id, type, accountId, environment, body } = event;
    const lacking = create(EventSchema, { id, type, accountId, environment, body, [field]: "" });
    const carry = headers();
    if (field !== "type") carry.set(EVENT_ID, `evt_${field}`);
    await jetstream(nats).publish(toSubject(event), toBinary(EventSchema, lacking), { headers: carry });
  }
  const reason = "a field of the envelope is missing";
  await eventually(() =>
    expect(got.dead).toEqual([
      ["unreadable", reason, "evt_id"],
      ["unreadable", reason, undefined],
      ["unreadable", reason, "evt_accountId"],
    ]),
  );
  await subscription.stop();
  expect(got.tries).toEqual([]);
});

test("an event that is rejected again comes after a longer pause", async () => {
  const got = subscriber("pauses", 2);
  const subscription = await bus.subscribe(got);
  await bus.publish(newEvent());
  await eventually(() => expect(got.tries).toHaveLength(3));
  const [first = 0, second = 0, third = 0] = got.tries;
  expect(second - first).toBeGreaterThan(450);
  expect(third - second).toBeGreaterThan(950);
  await subscription.stop();
});

describe("the stream and its consumers", () => {
  const asking = () => ({ nc: nats, timeoutMs: 20_000 });

  test("keep events for a week, the oldest give way, and deliver each until it is acknowledged; existing ones are changed", async () => {
    const { streams, consumers } = await jetstreamManager(nats);
    const found = async () => [(await streams.info(STREAM)).config, (await consumers.info(STREAM, "d")).config];
    const limited = { replicas: 1, maxBytes: 1_000_000, duplicateWindowMs: 60_000, maxAckPending: 5 };
    for (const limits of [limited, STREAM_LIMITS]) {
      expect(await makeStream(asking(), limits)).toBeUndefined();
      expect(await makeConsumer(asking(), "d", limits)).toBeUndefined();
      const stream = {
        ...{ subjects: ["events.>"], storage: "file", retention: "limits", discard: "old", max_bytes: 1_000_000 },
        ...{ max_age: nanos(7 * DAY_MS), duplicate_window: nanos(limits.duplicateWindowMs), num_replicas: 1 },
      };
      const consumer = {
        ...{ durable_name: "d", ack_policy: "explicit", deliver_policy: "all", ack_wait: nanos(30_000) },
        ...{ max_deliver: -1, max_ack_pending: limits.maxAckPending },
      };
      expect(await found()).toMatchObject([stream, consumer]);
    }
    expect(STREAM_LIMITS.maxAckPending).toBe(16_384);
  });

  test("are used as they are if NATS refuses the change, and say why; without a connection, or a stream, they fail", async () => {
    expect(await makeStream(asking(), { ...STREAM_LIMITS, replicas: 3 })).toMatch(/replicas/);
    await (await jetstreamManager(nats)).streams.delete(STREAM);
    await expect(makeStream(asking(), { ...STREAM_LIMITS, replicas: 3 })).rejects.toThrow(/replicas/);
    await expect(makeConsumer(asking(), "d", STREAM_LIMITS)).rejects.toThrow("stream not found");
    await nats.close();
    await expect(makeStream(asking(), STREAM_LIMITS)).rejects.toThrow(/closed/);
    nats = await connect({ servers: server.url });
  });

  test.each([
    ["duplicates window can not be larger then server limit of 1m0s", "NATS_DUPLICATE_WINDOW_SECONDS"],
    ["consumer max ack pending exceeds system limit of 1000", "NATS_MAX_ACK_PENDING"],
    ["account requires a stream config to have max bytes set", "NATS_STREAM_MAX_BYTES"],
    ["stream max bytes exceeds account limit max stream bytes", "NATS_STREAM_MAX_BYTES"],
    ["insufficient storage resources available", "NATS_STREAM_MAX_BYTES"],
    ["replicas > 1 not supported in non-clustered mode", "NATS_REPLICAS"],
    ["stream not found", undefined],
  ])("%s: the setting that may help is %s", (reason, setting) => expect(findLimit(reason)).toBe(setting));
});
