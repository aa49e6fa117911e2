import { readFileSync } from "node:fs";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { type Bus, BusOutage, type StreamState } from "@shipping/kit/events/bus";
import { busNames, OWNER_ID } from "@shipping/kit/events/bus-names";
import { createJetStreamPublisher } from "@shipping/kit/events/jetstream-publisher";
import type { Env } from "@shipping/kit/process/config";
import { createLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { busAuthorization, newBusPasswords } from "@shipping/local/servers/bus-users";
import type { SubscribableBus } from "@shipping/webhooks/stream/inbox";
import { createJetStreamBus } from "@shipping/webhooks/stream/jetstream-bus";
import { marking, type Owner, type OwnerRecord, readMark } from "@shipping/webhooks/stream/stream-owner";
import { identityWith, newEvent, ownNats } from "../platform/bus.js";

const STREAM = "EVENTS";
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function newServer(configuration = "", env: Env = {}) {
  const server = await ownNats(configuration, env);
  ends.push(server.stop);
  return server;
}

async function operator(servers: string): Promise<NatsConnection> {
  const nc = await connect({ servers });
  ends.push(() => nc.close());
  return nc;
}

/** The owner record of an installation, in memory. */
function recordOf(id: string): OwnerRecord & { add(...tokens: string[]): void } {
  let owner: Owner = { id, tokens: [`${id}-1`] };
  let due: Owner | undefined;
  return {
    read: async () => owner,
    async turn() {
      const turned = due;
      due = undefined;
      return turned;
    },
    renew: (old, until) => ({ id: `${old.id}+`, tokens: [`${old.id}+1`], previous: { id: old.id, until } }),
    async store(stored) {
      owner = stored;
    },
    add(...tokens) {
      owner = { ...owner, tokens: [...tokens, ...owner.tokens] };
      due = owner;
    },
  };
}

type Options = Partial<Parameters<typeof createJetStreamBus>[0]>;

/** An installation whose subscriber records its events, and a bus of its publishers. */
async function installation(url: string, name: string, record: OwnerRecord = recordOf(name), options: Options = {}) {
  const lines: { msg: string; reason?: string }[] = [];
  const log = createLog({ part: name, destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const open = (given: Options): SubscribableBus => {
    const bus = createJetStreamBus({ url, name: "webhooks", log, ...options, ...given });
    ends.push(() => bus.close());
    return bus;
  };
  const got: string[] = [];
  const state = { foreign: 0 };
  const inbox = await open({}).subscribe({
    durable: "webhooks",
    installation: { name, record },
    onEvent: async ({ id }) => void got.push(id),
    onDeadLetter: async () => void got.push("dead"),
    onForeign: () => void state.foreign++,
  });
  ends.push(() => inbox.stop());
  const publisherTo = (askSubscriber: () => Promise<StreamState>, given: Options = {}) => {
    const bus = createJetStreamPublisher({ url, name: "webhooks", log, ...options, ...given, askSubscriber });
    ends.push(() => bus.close());
    return bus;
  };
  const publisher = publisherTo(async () => inbox.state());
  const known = (whose: StreamState["whose"]) => eventually(() => expect(inbox.state()).toMatchObject({ whose }));
  return { inbox, publisher, publisherTo, got, state, lines, known, open };
}

const published = async (bus: Bus, event = newEvent()) => {
  await eventually(() => bus.publish(event));
  return event.id;
};

test("webhooks of a second installation logs the owner of the stream in one line and changes nothing, and its publishers publish nothing", async () => {
  const { url } = await newServer();
  const first = await installation(url, "blue");
  await first.known("own");
  const { streams, consumers } = await jetstreamManager(await operator(url));
  const before = [(await streams.info(STREAM)).config, (await consumers.info(STREAM, "webhooks")).config];
  const second = await installation(url, "green");
  await second.known("another");
  await expect(second.publisher.publish(newEvent())).rejects.toThrow(
    new BusOutage(second.inbox.state().reason ?? "no reason"),
  );
  const ids = [await published(first.publisher), await published(first.publisher)];
  await eventually(() => expect(first.got).toEqual(ids));
  expect([second.got, first.state.foreign]).toEqual([[], 0]);
  expect([(await streams.info(STREAM)).config, (await consumers.info(STREAM, "webhooks")).config]).toEqual(before);
  const refusals = second.lines.filter(({ msg }) => msg.startsWith("no events are consumed"));
  expect(refusals).toMatchObject([{ reason: expect.stringMatching(/^Stream EVENTS on NATS belongs to .*"blue"/) }]);
});

test("an event of another installation that reaches the stream all the same is refused unread", async () => {
  const { url } = await newServer();
  const first = await installation(url, "blue");
  await first.known("own");
  await published(first.publisherTo(async () => ({ stream: STREAM, whose: "own", ownerId: "green" })));
  const own = await published(first.publisher);
  await eventually(() => expect(first.state.foreign).toBe(1));
  await eventually(() => expect(first.got).toEqual([own]));
  expect(first.lines.map(({ msg }) => msg)).toContain("event of another installation refused");
});

test("a claim takes a stream over with what is in it, and the installation that had it stops without an event of the other", async () => {
  const { url } = await newServer();
  const [original, copy] = [recordOf("same"), recordOf("same")];
  const first = await installation(url, "blue", original);
  await first.known("own");
  original.add("newest", "newer");
  const { streams } = await jetstreamManager(await operator(url));
  const token = async () => readMark((await streams.info(STREAM)).config)?.token;
  await eventually(async () => expect(await token()).toBe("newer"));
  const second = await installation(url, "blue", copy);
  await eventually(() => expect(second.inbox.state().reason).toContain("a later state of this database"));
  await second.inbox.claim();
  await second.known("own");
  const ids = [await published(second.publisher), await published(second.publisher)];
  await eventually(() => expect(second.got.toSorted()).toEqual(ids.toSorted()));
  await first.known("another");
  expect([first.got, first.state.foreign]).toEqual([[], 0]);
  // The events from before the claim arrive, and late ones from the other installation's publishers do not.
  await published(second.publisherTo(async () => ({ stream: STREAM, whose: "own", ownerId: "same" })));
  await eventually(() => expect(second.state.foreign).toBe(1));
  await second.inbox.claim();
  expect(second.inbox.state()).toMatchObject({ whose: "own", ownerId: "same+" });
});

test("a stream and a consumer without an owner are claimed by the first installation; a deleted stream is created and marked again", async () => {
  const { url } = await newServer();
  const { streams, consumers } = await jetstreamManager(await operator(url));
  await streams.add({ name: STREAM, subjects: ["events.>"] });
  await consumers.add(STREAM, { durable_name: "webhooks", ack_policy: "explicit" });
  const mark = async () => [
    readMark((await streams.info(STREAM)).config)?.id,
    readMark((await consumers.info(STREAM, "webhooks")).config)?.id,
  ];
  const first = await installation(url, "blue");
  await first.known("own");
  expect(await mark()).toEqual(["blue", "blue"]);
  await streams.delete(STREAM);
  await eventually(async () => expect(await mark()).toEqual(["blue", "blue"]));
  const id = await published(first.publisher);
  await eventually(() => expect(first.got).toEqual([id]));
});

test("a consumer of another in a stream of its own is left alone", async () => {
  const { url } = await newServer();
  const nc = await operator(url);
  const { streams, consumers } = await jetstreamManager(nc);
  await streams.add({ name: STREAM, subjects: ["events.>"] });
  const mark = { installation: "green", id: "green" };
  await consumers.add(STREAM, { durable_name: "webhooks", ack_policy: "explicit", ...marking(nc, mark) });
  const first = await installation(url, "blue");
  await first.known("another");
  expect(first.inbox.state().reason).toMatch(/^Consumer webhooks of EVENTS on NATS belongs to another .*"green"/);
  expect(readMark((await consumers.info(STREAM, "webhooks")).config)).toMatchObject(mark);
});

test("the server refuses an event whose subject leads to another stream than the expected one", async () => {
  const { url } = await newServer();
  const { streams } = await jetstreamManager(await operator(url));
  await streams.add({ name: "OTHER", subjects: ["events.>"] });
  const first = await installation(url, "blue");
  const publisher = first.open({});
  await eventually(() => expect(publisher.publish(newEvent())).rejects.toThrow("lead to another stream than EVENTS"));
  await expect(publisher.publish(newEvent())).rejects.toBeInstanceOf(BusOutage);
  expect((await streams.info("OTHER")).state.messages).toBe(0);
});

test("with a prefix, two installations share a server and its account, with the permissions of the guide", async () => {
  const passwords = newBusPasswords();
  const { configFile, env } = busAuthorization(passwords);
  const configuration = readFileSync(configFile, "utf8")
    .replaceAll('"events.', '"blue.events.')
    .replaceAll("EVENTS", "blue_EVENTS");
  const { url } = await newServer(configuration, env);
  const names = busNames("blue");
  const webhooks = { names, identity: identityWith("webhooks", passwords.webhooks) };
  const blue = await installation(url, "blue", recordOf("blue"), webhooks);
  const records = { name: "records", identity: identityWith("records", passwords.records) };
  const publisher = blue.publisherTo(async () => blue.inbox.state(), records);
  const id = await published(publisher);
  await eventually(() => expect(blue.got).toEqual([id]));
  expect(blue.inbox.state()).toMatchObject({ stream: "blue_EVENTS", whose: "own" });
});

test("the stream is made in the JetStream domain that the settings name", async () => {
  const { url } = await newServer("jetstream: { domain: hub }");
  const first = await installation(url, "blue", recordOf("blue"), { apiPrefix: "$JS.hub.API" });
  await first.known("own");
  const id = await published(first.publisher);
  await eventually(() => expect(first.got).toEqual([id]));
  const message = await (await jetstreamManager(await operator(url), { domain: "hub" })).streams.getMessage(STREAM, {
    seq: 1,
  });
  expect(message?.header.get(OWNER_ID)).toBe("blue");
});
