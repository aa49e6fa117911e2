import { readFile } from "node:fs/promises";
import { type ConsumerConfig, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { createLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { type BusUser, busAuthorization, newBusPasswords } from "@shipping/local/servers/bus-users";
import { createJetStreamBus } from "@shipping/webhooks/stream/jetstream-bus";
import { identityWith, newEvent, type OwnNats, ownNats } from "../platform/bus.js";

// An operator makes or changes the stream and its consumer by hand, on a server with the permissions of the chart's `nats.conf`.
const passwords = newBusPasswords();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A server without the lines of `nats.conf` that have these words, and an operator's functions there. */
async function newServer(...without: string[]) {
  const { configFile, env } = busAuthorization(passwords);
  const lines = (await readFile(configFile, "utf8")).split("\n");
  const permitted = lines.filter((line) => !without.some((words) => line.includes(words)));
  const server = await ownNats(permitted.join("\n"), env);
  ends.push(() => server.stop());
  const nc = await connect({ servers: server.url, ...identityWith("operator", passwords.operator) });
  ends.push(() => nc.close());
  return { server, ...(await jetstreamManager(nc)) };
}

/** Webhooks' subscription, and a publisher to it. */
async function subscribed({ url }: OwnNats) {
  const lines: { msg: string; reason?: string }[] = [];
  const log = createLog({ part: "webhooks", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const busOf = (name: BusUser) => {
    const bus = createJetStreamBus({ url, name, identity: identityWith(name, passwords[name]), log, fetchMs: 1_000 });
    ends.push(() => bus.close());
    return bus;
  };
  const got: string[] = [];
  const inbox = await busOf("webhooks").subscribe({
    durable: "webhooks",
    onEvent: async ({ id }) => void got.push(id),
    onDeadLetter: async () => void got.push("dead"),
  });
  ends.push(() => inbox.stop());
  const records = busOf("records");
  const publishing = async () => {
    const event = newEvent();
    await eventually(() => records.publish(event));
    return event.id;
  };
  return { inbox, lines, got, publishing };
}

/** Reads from the log which settings webhooks has set right. Each counts once, because a slow test can take longer than the minute after which a line is repeated. */
const repairsIn = (lines: { msg: string; reason?: string }[]) => [
  ...new Set(lines.filter(({ msg }) => msg === "changed by hand; set right").map(({ reason }) => reason)),
];

const CONSUMERS: [string, Partial<ConsumerConfig>, RegExp | undefined][] = [
  [
    "a filter",
    { ack_policy: "explicit", filter_subject: "events.live.>" },
    /^consumer webhooks: it only gets events.live/,
  ],
  ["another ack policy", { ack_policy: "none" }, /^consumer webhooks: its ack policy is none$/],
  ["no bodies", { ack_policy: "explicit", headers_only: true }, /^consumer webhooks: it gets no bodies/],
  [
    "a subject to which it pushes",
    { ack_policy: "explicit", deliver_subject: "pushed" },
    /it pushes events to pushed$/,
  ],
  ["small requests only", { ack_policy: "explicit", max_batch: 5, max_expires: 2_000_000_000 }, undefined],
];

test.each(CONSUMERS)(
  "a consumer with %s is updated or made again, before a start and while it is used",
  async (_what, config, flaw) => {
    const { server, streams, consumers } = await newServer();
    await streams.add({ name: "EVENTS", subjects: ["events.>"] });
    await consumers.add("EVENTS", { durable_name: "webhooks", ...config });
    const { got, publishing, inbox, lines } = await subscribed(server);
    const ids = [await publishing()];
    await eventually(() => expect(got).toEqual(ids));
    await consumers.delete("EVENTS", "webhooks");
    await consumers.add("EVENTS", { durable_name: "webhooks", ...config }).catch(() => {});
    ids.push(await publishing());
    await eventually(() => expect(new Set(got)).toEqual(new Set(ids)));
    await eventually(() => expect(inbox.state().reason).toBeUndefined());
    expect(repairsIn(lines)).toEqual(flaw ? [expect.stringMatching(flaw)] : []);
  },
);

test("without the permission to delete it, a consumer is named once in a minute with what is wrong and how to remove it, for doctor, too", async () => {
  const { server, streams, consumers } = await newServer("CONSUMER.DELETE");
  await streams.add({ name: "EVENTS", subjects: ["events.>"] });
  await consumers.add("EVENTS", { durable_name: "webhooks", ack_policy: "none" });
  const { got, publishing, inbox, lines } = await subscribed(server);
  const reason =
    /^Consumer webhooks of EVENTS cannot be used: its ack policy is none\. .*Permissions Violation.* nats consumer rm EVENTS webhooks/;
  await eventually(() => expect(inbox.state().reason).toMatch(reason));
  await consumers.delete("EVENTS", "webhooks");
  const id = await publishing();
  await eventually(() => expect(got).toEqual([id]));
  await eventually(() => expect(inbox.state().reason).toBeUndefined());
  expect(lines.filter(({ reason: said }) => said?.match(reason))).toHaveLength(1);
});

test("limits by hand are removed from a stream that is used", async () => {
  const { server, streams } = await newServer();
  const { got, publishing, lines } = await subscribed(server);
  const ids = [await publishing(), await publishing()];
  await eventually(() => expect(got).toEqual(ids));
  const { config } = await streams.info("EVENTS");
  const few = { max_msgs: 2, max_msgs_per_subject: 1, max_msg_size: 10, discard_new_per_subject: true };
  await streams.update("EVENTS", { ...few, discard: "new", subjects: ["events.live.>"] });
  ids.push(await publishing(), await publishing());
  await eventually(() => expect(got).toEqual(ids));
  expect((await streams.info("EVENTS")).config).toEqual(config);
  expect(repairsIn(lines)).toEqual([
    expect.stringMatching(/^stream EVENTS: max_msgs is 2; .*its subjects are events.live/),
  ]);
});

test.each([
  [[], /^subjects overlap with an existing stream: stream ORDERS stores events\.> too\./],
  [["STREAM.NAMES"], /^subjects overlap with an existing stream: .* nats stream find --subject 'events\.>'/],
])("another stream with our subjects is named (without the permission for %j)", async (without, reason) => {
  const { server, streams } = await newServer(...without);
  await streams.add({ name: "ORDERS", subjects: ["events.*.order.*"] });
  const { got, publishing, inbox } = await subscribed(server);
  await eventually(() => expect(inbox.state().reason).toMatch(reason));
  await streams.delete("ORDERS");
  const id = await publishing();
  await eventually(() => expect(got).toEqual([id]));
});

test("a stream of another kind is used as it is, and doctor hears what NATS refuses and what is wrong with it", async () => {
  const { server, streams } = await newServer();
  await streams.add({ name: "EVENTS", subjects: ["events.>"], retention: "workqueue", max_msg_size: 1_000 });
  const { got, publishing, inbox } = await subscribed(server);
  await eventually(() => expect(inbox.state().reason).toMatch(/retention.*max_msg_size is 1000/));
  const id = await publishing();
  await eventually(() => expect(got).toEqual([id]));
});
