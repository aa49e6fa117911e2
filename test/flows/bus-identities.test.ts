import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { toBinary } from "@bufbuild/protobuf";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { silentLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { type BusUser, busAuthorization, newBusPasswords } from "@shipping/local/servers/bus-users";
import { BUS_USERS, PARTS, type BusUser as PartOnBus, PUBLISHERS } from "@shipping/proto/parts";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import type { SubscribableBus } from "@shipping/webhooks/stream/inbox";
import { createJetStreamBus } from "@shipping/webhooks/stream/jetstream-bus";
import { identityWith, newEvent, type OwnNats, ownNats } from "../platform/bus.js";

// The users and permissions of the chart's trial and of `npm run cluster`, on a server of its own.
const passwords = newBusPasswords();
let server: OwnNats;
const open: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  const { configFile, env } = busAuthorization(passwords);
  server = await ownNats(await readFile(configFile, "utf8"), env);
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});
afterAll(() => server.stop());

const identityOf = (user: BusUser, password = passwords[user]) => identityWith(user, password);

/** The bus with the part's credentials. */
function busOf(part: PartOnBus): SubscribableBus {
  const bus = createJetStreamBus({ url: server.url, name: part, identity: identityOf(part), log: silentLog() });
  open.push(bus);
  return bus;
}

/** A connection that tries everything its user is allowed to, not only what the part's code does. It records the refusals of NATS. */
async function intruder(user: BusUser): Promise<{ nc: NatsConnection; refused: string[] }> {
  const nc = await connect({ servers: server.url, ...identityOf(user), inboxPrefix: `_INBOX.${user}` });
  open.push(nc);
  const refused: string[] = [];
  void (async () => {
    for await (const status of nc.status()) if (status.type === "error") refused.push(status.error.message);
  })();
  return { nc, refused };
}

/** The subscription of webhooks. */
async function taking(): Promise<{ got: Set<string>; dead: string[] }> {
  const got = new Set<string>();
  const dead: string[] = [];
  const subscription = await busOf("webhooks").subscribe({
    durable: "webhooks",
    onEvent: async ({ id }) => void got.add(id),
    onDeadLetter: async (_, kind, reason, id) => void dead.push(`${kind}: ${reason} (${id})`),
  });
  open.push({ close: () => subscription.stop() });
  return { got, dead };
}

const published = (bus: SubscribableBus, event: Event) => eventually(() => bus.publish(event));

test("who has no name, or a wrong password, is not let in", async () => {
  await expect(connect({ servers: server.url })).rejects.toThrow("Authorization Violation");
  const wrong = { servers: server.url, ...identityOf("records", "guessed") };
  await expect(connect(wrong)).rejects.toThrow("Authorization Violation");
});

test.each(BUS_USERS)("%s without a name does not start in production, and says why", (part) => {
  const neighbours = PARTS[part].calls.map((called) => [`${called.toUpperCase()}_URL`, "http://127.0.0.1:1"]);
  const env = {
    ...Object.fromEntries(neighbours),
    NODE_ENV: "production",
    RPC_PLAINTEXT_TRUSTS_NETWORK: "true",
    DATABASE_URL: "postgres://nobody@127.0.0.1:1/none",
    NATS_URL: server.url,
    SECRETS_KEYS: `k:${Buffer.alloc(32).toString("base64")}`,
  };
  const main = join(import.meta.dirname, "../..", PARTS[part].folder, "dist/main.js");
  const { status, stderr } = spawnSync(process.execPath, [main], { env, encoding: "utf8", timeout: 20_000 });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^No NATS credentials\. .*\n$/)]);
});

test("events of records and carrier under their own subjects arrive at webhooks, which creates the stream", async () => {
  const [records, carrier] = [busOf("records"), busOf("carrier")];
  const early = newEvent("order.created");
  await eventually(() => expect(records.connected()).toBe(true));
  await expect(records.publish(early)).rejects.toThrow();
  const { got } = await taking();
  const events = [early, newEvent("shipment.created"), newEvent("label.created"), newEvent("label.voided")];
  for (const event of events) await published(event.type.startsWith("label") ? carrier : records, event);
  await eventually(() => expect([...got].sort()).toEqual(events.map(({ id }) => id).sort()));
});

test("records cannot publish carrier's events, nor carrier those of records, nor webhooks any", async () => {
  await taking();
  await published(busOf("records"), newEvent("order.created"));
  const attempts = [
    ["records", "label.created"],
    ["carrier", "order.created"],
    ["carrier", "shipment.created"],
    ["webhooks", "order.created"],
  ] as const;
  for (const [part, type] of attempts) {
    const bus = busOf(part);
    await eventually(() => expect(bus.connected()).toBe(true));
    await expect(bus.publish(newEvent(type))).rejects.toThrow(
      `Permissions Violation for Publish to "events.sandbox.${type}"`,
    );
  }
});

test("an event under the subject of another part becomes a dead event, and belongs to no part", async () => {
  const { got, dead } = await taking();
  const { nc } = await intruder("records");
  const forged = newEvent("label.created");
  await eventually(() => jetstream(nc).publish("events.sandbox.order.created", toBinary(EventSchema, forged)));
  await eventually(() =>
    expect(dead).toEqual([
      "forged: published under events.sandbox.order.created, as events.sandbox.label.created (undefined)",
    ]),
  );
  expect(got).not.toContain(forged.id);
});

describe.each(PUBLISHERS)("%s cannot read events", (user) => {
  test("neither as they are published, nor as webhooks gets them", async () => {
    const { nc, refused } = await intruder(user);
    for (const subject of ["events.>", "events.sandbox.order.created", "_INBOX.webhooks.>", "_INBOX.>", ">", "$JS.>"]) {
      nc.subscribe(subject, { callback: () => {} });
    }
    await nc.flush();
    await eventually(() => expect(refused).toHaveLength(6));
    expect(refused.every((reason) => reason.startsWith("Permissions Violation for Subscription"))).toBe(true);
  });

  test("nor out of the stream, which it cannot see, consume, change or delete", async () => {
    const { nc } = await intruder(user);
    const manager = await jetstreamManager(nc, { checkAPI: false });
    const refusals = [
      manager.streams.info("EVENTS"),
      manager.streams.getMessage("EVENTS", { seq: 1 }),
      manager.streams.purge("EVENTS"),
      manager.streams.delete("EVENTS"),
      manager.streams.add({ name: "COPY", subjects: ["copy"], sources: [{ name: "EVENTS" }] }),
      manager.consumers.add("EVENTS", { durable_name: "spy", deliver_subject: `_INBOX.${user}.spy` }),
      manager.consumers.info("EVENTS", "webhooks"),
      nc.request("$JS.API.CONSUMER.MSG.NEXT.EVENTS.webhooks", "1"),
      nc.request("$JS.API.DIRECT.GET.EVENTS", '{"seq":1}'),
    ];
    for (const refusal of refusals) await expect(refusal).rejects.toThrow(/Permissions Violation for Publish/);
  });
});

test("webhooks can make the stream and its own consumer, and has no hand on anything else", async () => {
  const { nc } = await intruder("webhooks");
  const manager = await jetstreamManager(nc, { checkAPI: false });
  const refusals = [
    manager.streams.purge("EVENTS"),
    manager.streams.delete("EVENTS"),
    manager.streams.deleteMessage("EVENTS", 1),
    manager.consumers.delete("EVENTS", "other"),
    manager.consumers.add("EVENTS", { durable_name: "second", ack_policy: "explicit" }),
    manager.streams.add({ name: "OTHER", subjects: ["other"] }),
  ];
  for (const refusal of refusals) await expect(refusal).rejects.toThrow(/Permissions Violation for Publish/);
});
