import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect as connectTcp, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { silentLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { type BusUser, busAuthorization, newBusPasswords } from "@shipping/local/servers/bus-users";
import { findNatsServer, type NatsProgram } from "@shipping/local/servers/find-nats-server";
import { type NatsServer, startNatsServer } from "@shipping/local/servers/nats-server";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import type { SubscribableBus } from "@shipping/webhooks/stream/inbox";
import { createJetStreamBus } from "@shipping/webhooks/stream/jetstream-bus";
import { identityWith, newEvent } from "../platform/bus.js";

// Each test breaks a server of its own, while records publishes and webhooks consumes.
const passwords = newBusPasswords();
const authorization = busAuthorization(passwords);
const DURABLE = "webhooks";

let program: NatsProgram;
let folder: string;
let server: NatsServer;
let port: number;
let ends: (() => Promise<unknown>)[];

beforeAll(async () => {
  program = await findNatsServer({ env: process.env, say: () => {} });
});
beforeEach(async () => {
  ends = [];
  folder = await mkdtemp(join(tmpdir(), "bus-test-"));
  server = await startNatsServer({ program, dataDir: folder, authorization });
  port = Number(new URL(server.url).port);
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const identityOf = (user: BusUser) => identityWith(user, passwords[user]);

function openBus(part: "records" | "webhooks", url = server.url): SubscribableBus {
  const bus = createJetStreamBus({ url, name: part, identity: identityOf(part), log: silentLog() });
  ends.push(() => bus.close());
  return bus;
}

/** A producer and a subscriber. `carries` resolves when an event that is published now, in as many attempts as it takes, reaches the subscriber. */
async function consuming(url = server.url) {
  const bus = openBus("records", url);
  const got = new Set<string>();
  const subscription = await openBus("webhooks", url).subscribe({
    durable: DURABLE,
    onEvent: async ({ id }) => void got.add(id),
    onDeadLetter: async () => {},
  });
  ends.push(() => subscription.stop());

  async function carries(): Promise<void> {
    const event = newEvent();
    await eventually(() => bus.publish(event));
    await arrives(event);
  }
  const arrives = (event: Event) => eventually(() => expect(got).toContain(event.id));

  /** Publishes without pause, each event until the bus has confirmed it, as an outbox does. */
  function publishing() {
    let over = false;
    const published: Event[] = [];
    const done = (async () => {
      while (!over) {
        const event = newEvent();
        await eventually(() => bus.publish(event));
        published.push(event);
      }
    })();
    return {
      published,
      async stop() {
        over = true;
        await done;
      },
    };
  }
  return { bus, got, carries, arrives, publishing };
}

async function crash(): Promise<void> {
  process.kill(server.pid, "SIGKILL");
  await server.exited;
}

async function startAgain(): Promise<void> {
  server = await startNatsServer({ program, dataDir: folder, port, authorization });
}

/** An operator's connection to the server, for `work`. */
async function managing<T>(work: (manager: JetStreamManager, nc: NatsConnection) => Promise<T>): Promise<T> {
  const nc = await connect({ servers: server.url, ...identityOf("operator") });
  try {
    return await work(await jetstreamManager(nc), nc);
  } finally {
    await nc.close();
  }
}

describe("a broker that is killed while events are published and consumed", () => {
  test("loses none that it confirmed, and continues when it is back", async () => {
    const { publishing, arrives, bus, carries } = await consuming();
    const load = publishing();
    await eventually(() => expect(load.published.length).toBeGreaterThan(50));
    await crash();
    await eventually(() => expect(bus.connected()).toBe(false));
    await expect(bus.publish(newEvent())).rejects.toThrow("The bus is not connected.");
    await startAgain();
    await eventually(() => expect(bus.connected()).toBe(true));
    await load.stop();
    for (const event of load.published) await arrives(event);
    await carries();
  });
});

test("a broker whose store is full to its limit takes no event, and takes them again when there is room", async () => {
  await crash();
  const configFile = join(folder, "limited.conf");
  const users = JSON.stringify(relative(folder, authorization.configFile));
  await writeFile(configFile, `include ${users}\njetstream: { max_file_store: 200KB }\n`);
  server = await startNatsServer({ program, dataDir: folder, port, authorization: { ...authorization, configFile } });
  const { bus, arrives, carries } = await consuming();
  await carries();
  const events = Array.from({ length: 100 }, () => newEvent("order.created", 10_000));
  const outcomes = await Promise.allSettled(events.map((event) => bus.publish(event)));
  const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : []));
  expect(reasons.length).toBeGreaterThan(50);
  expect(new Set(reasons)).toEqual(new Set(["Error: insufficient resources"]));
  const taken = events.filter((_, at) => outcomes[at]?.status === "fulfilled");
  for (const event of taken) await arrives(event);
  await managing((manager) => manager.streams.purge("EVENTS"));
  await carries();
});

describe("a connection that dies silently", () => {
  let proxy: Server;
  let silent: boolean;
  let sockets: Socket[];

  beforeEach(async () => {
    silent = false;
    sockets = [];
    proxy = createServer((near) => {
      const far = connectTcp(port, "127.0.0.1");
      sockets.push(near, far);
      // Earlier connections stay dead permanently, as after the loss of a machine.
      const dead = silent;
      const forward = (from: Socket, to: Socket) => {
        from.on("data", (chunk) => (silent || dead ? undefined : to.write(chunk)));
        from.on("error", () => {});
      };
      forward(near, far);
      forward(far, near);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    ends.push(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    });
  });

  test("is missed and replaced", async () => {
    const { port: proxyPort } = proxy.address() as { port: number };
    const { carries, bus } = await consuming(`nats://127.0.0.1:${proxyPort}`);
    await carries();
    silent = true;
    await eventually(() => expect(bus.connected()).toBe(false));
    silent = false;
    await carries();
  });
});
