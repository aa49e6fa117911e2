import { jetstreamManager } from "@nats-io/jetstream";
import { connect, credsAuthenticator } from "@nats-io/transport-node";
import { toBusIdentity } from "@shipping/kit/events/bus-identity";
import { createLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { STREAM_LIMITS, type StreamLimits } from "@shipping/webhooks/stream/event-stream";
import { createJetStreamBus } from "@shipping/webhooks/stream/jetstream-bus";
import { newEvent, type OwnNats, ownNats } from "../platform/bus.js";
import { natsAccount } from "../platform/nats-account.js";

// An account of a managed NATS, on a server with limits.
const account = natsAccount({ max_bytes_required: true, disk_max_stream_bytes: 10_000_000, max_ack_pending: 1_000 });
const MEBIBYTE = 1_048_576;
const FITTING = { ...STREAM_LIMITS, maxBytes: MEBIBYTE, duplicateWindowMs: 60_000, maxAckPending: 1_000 };
const PAUSE_MS = 60_000;

let server: OwnNats;
let ends: (() => Promise<unknown>)[];
beforeEach(async () => {
  ends = [];
  server = await ownNats(`${account.config}\njetstream: { limits: { duplicate_window: "60s" } }`);
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
  await server.stop();
});

/** A subscriber that requests these limits: its log, its events, and a publisher to it. */
async function subscribed(limits: StreamLimits) {
  const lines: { msg: string; reason?: string; setting?: string }[] = [];
  const log = createLog({ part: "webhooks", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const identity = toBusIdentity({
    NATS_CREDENTIALS_FILE: server.fileOf("webhooks.creds", account.credentials()),
    NATS_ANONYMOUS_TRUSTS_NETWORK: false,
    NODE_ENV: "production",
  });
  const bus = createJetStreamBus({ url: server.url, name: "webhooks", log, identity, limits });
  const got = new Set<string>();
  const subscription = await bus.subscribe({
    durable: "webhooks",
    onEvent: async ({ id }) => void got.add(id),
    onDeadLetter: async () => {},
  });
  ends.push(async () => {
    await subscription.stop();
    await bus.close();
  });
  return { lines, bus, got };
}

test.each<[string, StreamLimits, string]>([
  [
    "account requires a stream config to have max bytes set",
    { ...FITTING, maxBytes: undefined },
    "NATS_STREAM_MAX_BYTES",
  ],
  [
    "duplicates window can not be larger then server limit of 1m0s",
    { ...FITTING, duplicateWindowMs: 120_000 },
    "NATS_DUPLICATE_WINDOW_SECONDS",
  ],
  [
    "consumer max ack pending exceeds system limit of 1000",
    { ...FITTING, maxAckPending: 16_384 },
    "NATS_MAX_ACK_PENDING",
  ],
])("%s: said in these words, once, with the setting that helps", async (reason, limits, setting) => {
  const { lines, got: gotFirst } = await subscribed(limits);
  const refused = () => lines.filter(({ msg }) => msg === "no events are consumed; trying again");
  await eventually(() => expect(refused()).toMatchObject([{ reason, setting }]));
  // The second one fits. Once it has made the stream, the first one uses that as it is and may get the event, and logs this reason no more.
  const { bus, got } = await subscribed(FITTING);
  const event = newEvent();
  await eventually(() => bus.publish(event));
  await eventually(() => expect([...got, ...gotFirst]).toEqual([event.id]));
  expect(refused()).toHaveLength(1);
});

test("a consumer that an operator has paused is named", async () => {
  const { lines, bus, got } = await subscribed(FITTING);
  const event = newEvent();
  await eventually(() => bus.publish(event));
  await eventually(() => expect(got).toContain(event.id));
  const authenticator = credsAuthenticator(Buffer.from(account.credentials()));
  const nc = await eventually(() => connect({ servers: server.url, authenticator }));
  const { consumers } = await jetstreamManager(nc);
  await consumers.pause("EVENTS", "webhooks", new Date(Date.now() + PAUSE_MS));
  const reason = "An operator has paused the consumer webhooks.";
  await eventually(() => expect(lines.at(-1)).toMatchObject({ msg: "no events are consumed", reason }));
  await consumers.resume("EVENTS", "webhooks");
  const later = newEvent();
  await bus.publish(later);
  await eventually(() => expect(got).toContain(later.id));
  await nc.close();
});
