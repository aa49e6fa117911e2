import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { eventually } from "@shipping/kit/testing/eventually";
import { processIdentity } from "@shipping/local/servers/process-identity";
import getPort from "get-port";
import { findNatsServer } from "./find-nats-server.js";
import { type NatsServer, startNatsServer } from "./nats-server.js";

const CURRENT = { name: expect.stringMatching(/^nats-\d$/), current: true };

let dataDir: string;
let server: NatsServer;

async function start(port?: number): Promise<NatsServer> {
  const program = await findNatsServer({ env: process.env, say: () => {} });
  return startNatsServer({ program, dataDir, ...(port ? { port } : {}) });
}

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "nats-test-"));
  server = await start();
});

afterEach(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true });
});

describe("startNatsServer", () => {
  test("keeps its streams over a restart on the same port", async () => {
    const before = await connect({ servers: server.url });
    await (await jetstreamManager(before)).streams.add({ name: "kept", subjects: ["kept.>"] });
    await jetstream(before).publish("kept.one", "1");
    await before.close();
    const { url, pid } = server;
    await server.stop();
    expect(processIdentity(pid)).toBeUndefined();
    server = await start(Number(new URL(url).port));
    expect(server.url).toBe(url);
    const after = await connect({ servers: server.url });
    const { state } = await (await jetstreamManager(after)).streams.info("kept");
    expect(state.messages).toBe(1);
    await after.close();
  });

  test("reports when the server has ended by itself", async () => {
    process.kill(server.pid, "SIGKILL");
    await server.exited;
    expect(processIdentity(server.pid)).toBeUndefined();
  });

  test("three of them keep copies, and one that comes back without its disk catches up", async () => {
    const program = await findNatsServer({ env: process.env, say: () => {} });
    const routePorts = await Promise.all([1, 2, 3].map(() => getPort({ host: "127.0.0.1" })));
    const startMember = (index: number) => {
      const name = `nats-${index + 1}`;
      const member = { name, routePort: routePorts[index] as number, routePorts };
      return startNatsServer({ program, dataDir: join(dataDir, name), member });
    };
    const servers = await Promise.all([0, 1, 2].map(startMember));
    try {
      const nc = await connect({ servers: servers.map(({ url }) => url), maxReconnectAttempts: -1 });
      const streams = async () => (await jetstreamManager(nc, { checkAPI: false })).streams;
      await eventually(async () => (await streams()).add({ name: "kept", subjects: ["kept.>"], num_replicas: 3 }));
      // The stream exists before all of its servers have subscribed to its subjects.
      await eventually(() => jetstream(nc).publish("kept.one", "1", { msgID: "1" }));
      const leader = (await (await streams()).info("kept")).cluster?.leader ?? "";
      const lost = Number(leader.slice(-1)) - 1;
      servers[lost]?.kill();
      await servers[lost]?.exited;
      await rm(join(dataDir, leader), { recursive: true });
      servers[lost] = await startMember(lost);
      await eventually(async () => {
        const { state, cluster } = await (await streams()).info("kept");
        const copies = cluster?.replicas?.map(({ name, current }) => ({ name, current }));
        expect({ messages: state.messages, copies }).toMatchObject({ messages: 1, copies: [CURRENT, CURRENT] });
      });
      await nc.close();
    } finally {
      await Promise.all(servers.map((one) => one.stop()));
    }
  });

  test("a port that is in use is named in the error", async () => {
    await expect(start(Number(new URL(server.url).port))).rejects.toThrow(
      /nats-server did not start: .*address already in use/,
    );
  });
});
