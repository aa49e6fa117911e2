import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import express from "express";
import { register } from "prom-client";
import { z } from "zod";
import { createPublicListener } from "../http/server/public-listener.js";
import { readConfig, serviceSettings } from "../process/config.js";
import { createLog, silentLog } from "../process/log.js";
import { createMetrics } from "../process/metrics.js";
import { connectTo } from "../rpc/client.js";
import { certificateFolder, testAuthority } from "../testing/certificates.js";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { eventually } from "../testing/eventually.js";
import { ledgerRoutes, readRequest } from "../testing/rpc-testbed.js";
import { openTls, type Tls } from "../tls/tls.js";
import { startService } from "./run-service.js";

const migrations = join(import.meta.dirname, "../testing/fixtures/prisma");
const ends: (() => unknown)[] = [];
let owned: TestDatabase;
beforeAll(async () => {
  owned = await testDatabase({ directory: migrations });
});
// Connect's adapter logs an error for each watcher that hangs up, because it does not recognize Node's errors in Jest's realm.
beforeEach(() => void jest.spyOn(console, "error").mockImplementation(() => {}));
// A process starts one part, and its own measurements begin once.
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  register.clear();
});
afterAll(() => owned.drop());

/** Starts a part that answers requests at a public port and calls at another one, each after `handle`. */
async function startPart(handle: () => unknown = () => {}, tls?: Tls) {
  const lines: Record<string, unknown>[] = [];
  const stopped: string[] = [];
  const log = createLog({ part: "parcels", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const env = { PORT: "0", OPS_PORT: "0", HOST: "127.0.0.1", DATABASE_URL: owned.url };
  const app = express();
  app.use(async (_req, res) => {
    await handle();
    res.end("a page");
  });
  const running = await startService(
    {
      ...{ part: "parcels", config: readConfig(z.object(serviceSettings), env), log, tls, migrations },
      async start() {
        const metrics = createMetrics({ part: "parcels", log });
        const application = { app, accountOf: () => undefined, isDelaying: () => false };
        const listener = createPublicListener({ port: 0, host: "127.0.0.1", log, random: randomBytes, metrics });
        return {
          listener: await listener.start({ portal: application }),
          rpcPort: 0,
          routes: ledgerRoutes(handle),
          peers: { gateway: LedgerService.methods },
          metrics,
          stop: async () => void stopped.push("part"),
        };
      },
    },
    new AbortController().signal,
  );
  const serving = lines.find(({ msg }) => msg === "serving");
  return { ...running, stopped, port: Number(serving?.port), rpcPort: Number(serving?.rpc_port) };
}

/** Returns the TLS of a part with a certificate for this host. */
async function tlsFor(authority: Awaited<ReturnType<typeof testAuthority>>, host: string): Promise<Tls> {
  const folder = certificateFolder();
  folder.write({ ...(await authority.issue([host])), ca: authority.ca });
  const tls = openTls(folder.settings, silentLog());
  if (!tls) throw new Error("There is no TLS.");
  ends.push(folder.remove, () => tls.close());
  return tls;
}

const page = async (port: number) =>
  (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } })).text();

/** Calls a part through a connection of its own, and returns whether it answered. */
async function call(port: number, tls?: Tls): Promise<boolean> {
  const transport = connectTo({ urls: `http://127.0.0.1:${port}`, log: silentLog(), tls });
  const answer = createClient(LedgerService, transport).read(readRequest());
  return answer
    .then(
      () => true,
      () => false,
    )
    .finally(() => transport.close());
}

test("a part with a public port answers requests there and calls at the other port, and each at its own alone", async () => {
  const part = await startPart();
  ends.push(() => part.stop(true));
  expect([await page(part.port), await call(part.rpcPort)]).toEqual(["a page", true]);
  expect(await call(part.port)).toBe(false);
  await expect(page(part.rpcPort)).rejects.toThrow();
});

test("with certificates, the port for calls answers only those who have one, and the public port everybody", async () => {
  const authority = await testAuthority();
  const part = await startPart(undefined, await tlsFor(authority, "127.0.0.1"));
  ends.push(() => part.stop(true));
  expect([await page(part.port), await call(part.rpcPort)]).toEqual(["a page", false]);
  expect(await call(part.rpcPort, await tlsFor(authority, "gateway"))).toBe(true);
  expect(await call(part.rpcPort, await tlsFor(await testAuthority(), "gateway"))).toBe(false);
});

test("a part that stops answers what is under way at both ports, then ends its own work, and answers nothing more", async () => {
  const held: (() => void)[] = [];
  const part = await startPart(() => new Promise<void>((resolve) => held.push(resolve)));
  const answers = Promise.all([page(part.port), call(part.rpcPort)]);
  await eventually(() => expect(held).toHaveLength(2));
  const stopping = part.stop();
  // The public port is closed at once, not only when the last call has been answered.
  await expect(page(part.port)).rejects.toThrow();
  expect(part.stopped).toEqual([]);
  for (const end of held) end();
  expect(await answers).toEqual(["a page", true]);
  await stopping;
  expect(part.stopped).toEqual(["part"]);
  expect(await call(part.rpcPort)).toBe(false);
});
