import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { processIdentity } from "@shipping/local/servers/process-identity";
import { findNatsServer } from "./find-nats-server.js";
import { type NatsServer, startNatsServer } from "./nats-server.js";

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

  test("a port that is in use is named in the error", async () => {
    await expect(start(Number(new URL(server.url).port))).rejects.toThrow(
      /nats-server did not start: .*address already in use/,
    );
  });
});
