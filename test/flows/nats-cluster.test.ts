import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { silentLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { findNatsServer, type NatsProgram } from "@shipping/local/servers/find-nats-server";
import { type NatsServer, startNatsServer } from "@shipping/local/servers/nats-server";
import { STREAM_LIMITS } from "@shipping/webhooks/stream/event-stream";
import { createJetStreamBus } from "@shipping/webhooks/stream/jetstream-bus";
import { newEvent } from "../platform/bus.js";
import { freePort } from "../platform/free-port.js";
import { playNatsFaults } from "../trials/failover/nats-faults.js";

let program: NatsProgram;
let folder: string;
let ports: number[];
let routePorts: number[];
let nc: NatsConnection;
const running: NatsServer[] = [];
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  program = await findNatsServer({ env: process.env, say: () => {} });
  folder = await mkdtemp(join(tmpdir(), "nats-cluster-"));
  [ports, routePorts] = await Promise.all([freePorts(), freePorts()]);
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await Promise.all(running.map((server) => server.stop()));
  await rm(folder, { recursive: true, force: true });
});

const freePorts = () => Promise.all([1, 2, 3].map(freePort));

async function startMember(number: number): Promise<void> {
  const name = `nats-${number}`;
  const at = { port: ports[number - 1] as number, dataDir: join(folder, name) };
  const member = { name, routePort: routePorts[number - 1] as number, routePorts };
  running.push(await startNatsServer({ program, member, ...at }));
}

const streams = async () => (await jetstreamManager(nc, { checkAPI: false })).streams;

test("a stream of one copy gets three when it is asked for them, and keeps its events", async () => {
  await Promise.all([1, 2, 3].map(startMember));
  const servers = ports.map((port) => `nats://127.0.0.1:${port}`);
  nc = await connect({ servers, maxReconnectAttempts: -1 });
  ends.push(() => nc.close());
  await eventually(async () => (await streams()).add({ name: "EVENTS", subjects: ["events.>"] }));
  const bus = createJetStreamBus({
    url: servers.join(","),
    name: "test",
    limits: { ...STREAM_LIMITS, replicas: 3 },
    log: silentLog(),
  });
  ends.push(() => bus.close());
  const sent = newEvent();
  await eventually(() => bus.publish(sent));
  const got: string[] = [];
  const subscription = await bus.subscribe({
    durable: "d",
    onEvent: async ({ id }) => void got.push(id),
    onDeadLetter: async () => {},
  });
  ends.push(() => subscription.stop());
  await eventually(() => expect(got).toEqual([sent.id]));
  await eventually(async () => {
    const { consumers } = await jetstreamManager(nc, { checkAPI: false });
    for (const { cluster } of [await (await streams()).info("EVENTS"), await consumers.info("EVENTS", "d")]) {
      expect(cluster?.replicas?.map(({ current }) => current)).toEqual([true, true]);
    }
  });
});

// The short form of `npm run trial -- failover nats-node`.
test("the leader of the stream is lost with its disk under load: no request fails, everything arrives once, an empty server catches up", async () => {
  const around = { clients: 4, calmMs: 500, arriveWithinMs: 40_000 };
  const fault = { name: "diskLost", servers: 1, lostMs: 1_000, wiped: true } as const;
  const { figures, broken } = await playNatsFaults(() => {}, [fault], around);
  console.log(JSON.stringify(figures));
  expect(broken).toEqual([]);
});
