import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { Env } from "@shipping/kit/process/config";
import { silentLog } from "@shipping/kit/process/log";
import { type Routes, serve } from "@shipping/kit/rpc/server";
import { type TestDatabase, testDatabase } from "@shipping/kit/testing/database";
import { greeter } from "@shipping/kit/testing/greeter";
import { pretendVersion } from "@shipping/kit/testing/older-postgres";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { gatewayMigrations } from "../../database/deps.js";
import { adminIn } from "../../testing/admin.js";
import { type GatewayUnderTest, gatewayUnderTest } from "../../testing/gateway-under-test.js";

const otherMigrations = fileURLToPath(new URL("../../testing/owner/prisma", import.meta.url));

let gateway: GatewayUnderTest;
let database: TestDatabase;
let other: TestDatabase;
beforeAll(async () => {
  [gateway, database, other] = await Promise.all([
    gatewayUnderTest(),
    testDatabase({ directory: gatewayMigrations }),
    testDatabase({ directory: otherMigrations }),
  ]);
});
afterAll(() => Promise.all([gateway.end(), database.drop(), other.drop()]));

const node = { part: "Node", ok: true, says: `version ${process.versions.node}` };

/** The finding of a platform without a portal. */
const unread = (waiting: number) => ({
  part: "audit log",
  ok: true,
  says: `nobody reads the changes of accounts (${waiting} waiting), because PORTAL_URL is not set: the platform has no portal`,
});

/** Starts a service that has only grpc.health.v1, unless other RPCs are given. */
const startService = (routes: Routes = () => {}) =>
  serve({ routes, peers: { gateway: [] }, port: 0, host: "127.0.0.1", log: silentLog() });

const { admin } = adminIn(() => ({ DATABASE_URL_GATEWAY: undefined }));

/** Runs doctor on the platform in this environment, and returns its exit status and findings. */
async function doctor(env: Env) {
  const { status, out } = await admin("doctor --json", env);
  return { status, ...(JSON.parse(out) as { ok: boolean; findings: { part: string; encryption?: object }[] }) };
}

// Removes the encryption, which doctor-encryption.test.ts covers.
const withoutEncryption = ({ encryption, ...finding }: { encryption?: object }) => finding;

test("a healthy platform: status 0, and no advice", async () => {
  const [records, carrier] = await Promise.all([startService(), startService()]);
  const bus = await greeter('INFO {"version":"2.9.10","go":"go1.19.8"} \r\n');
  const nats = bus.url;
  const { status, ok, findings } = await doctor({
    DATABASE_URL_GATEWAY: database.url,
    DATABASE_URL_RECORDS: other.url,
    GATEWAY_URL: `http://127.0.0.1:${gateway.port}`,
    RECORDS_URL: `http://127.0.0.1:${records.port}, http://localhost:${records.port}`,
    CARRIER_URL: `http://127.0.0.1:${carrier.port}`,
    NATS_URL: nats,
  });
  expect({ status, ok }).toEqual({ status: 0, ok: true });
  expect(findings.map(withoutEncryption)).toEqual([
    { part: "gateway database", ok: true, says: expect.stringMatching(/^reachable and migrated, on PostgreSQL \d+/) },
    { part: "records database", ok: true, says: expect.stringMatching(/^reachable and migrated, on PostgreSQL \d+/) },
    { part: "records service", ok: true, says: `serving at http://127.0.0.1:${records.port}` },
    { part: "records service", ok: true, says: `serving at http://localhost:${records.port}` },
    { part: "carrier service", ok: true, says: `serving at http://127.0.0.1:${carrier.port}` },
    { part: "public API", ok: true, says: `answering at http://127.0.0.1:${gateway.port}` },
    { part: "event bus", ok: true, says: `answering at ${nats}, nats-server 2.9.10` },
    unread(0),
    node,
  ]);
  await Promise.all([records.stop(0), carrier.stop(0), bus.close()]);
});

test("says if a gateway behind https trusts no proxy: everyone would share one address", async () => {
  const env = { DATABASE_URL: database.url, PUBLIC_URL: "https://ship.example" };
  const [without, withProxy] = [await doctor(env), await doctor({ ...env, TRUSTED_PROXIES: "1" })];
  expect(without.status).toBe(1);
  expect(without.findings).toContainEqual({
    part: "client addresses",
    ok: false,
    says: expect.stringContaining("TRUSTED_PROXIES is 0"),
    advice: expect.stringContaining("Set TRUSTED_PROXIES"),
  });
  expect(withProxy.findings).toContainEqual({
    part: "client addresses",
    ok: true,
    says: "as reported by 1 trusted proxy",
  });
  const elsewhere = await doctor({ DATABASE_URL_GATEWAY: database.url, PUBLIC_URL: "https://ship.example" });
  expect(elsewhere.findings.map(({ part }) => part)).not.toContain("client addresses");
});

test("what is wrong is said with what to do, and the status is 1", async () => {
  const { status, ok, findings } = await doctor({
    DATABASE_URL_GATEWAY: other.url,
    DATABASE_URL_CARRIER: "postgres://nobody@127.0.0.1:1/none",
    TRACKING_URL: "http://127.0.0.1:1",
    NATS_URL: "nats://127.0.0.1:1",
    GATEWAY_URL: "http://127.0.0.1:1",
  });
  expect({ status, ok }).toEqual({ status: 1, ok: false });
  const said = (part: string, says: RegExp) => ({
    part,
    ok: false,
    says: expect.stringMatching(says),
    advice: expect.any(String),
  });
  expect(findings.map(withoutEncryption)).toEqual([
    said("gateway database", /^reachable, but not migrated: \d+_init(, \d+_\w+)*$/),
    said("carrier database", /^not reachable: .*ECONNREFUSED/),
    said("tracking service", /^not reachable at http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/),
    said("public API", /^not reachable at http:\/\/127\.0\.0\.1:1: /),
    said("event bus", /^not reachable at nats:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/),
    node,
  ]);
});

test.each([
  [{ oldestSeconds: 30, oldestMissingSeconds: 300 }, true, "published and received"],
  [{ unpublished: 3, oldestSeconds: 30.6 }, false, "the event bus accepts none: 3 are waiting, the oldest for 31 s"],
  [
    { oldestMissingSeconds: 301 },
    false,
    "NATS has stored them, but webhooks does not receive them; the oldest is 301 s old",
  ],
])("of events it says, if the outbox has %j: %s", async (outbox, ok, says) => {
  const records = await startService((router) => router.service(OwnerOperationsService, { getOutbox: () => outbox }));
  const url = `http://127.0.0.1:${records.port}`;
  const { findings } = await doctor({ DATABASE_URL_GATEWAY: database.url, RECORDS_URL: url });
  expect(findings).toContainEqual(expect.objectContaining({ part: "records events", ok, says }));
  await records.stop(0);
});

test("a service that is stopping is not serving, a server of something else is not the API", async () => {
  const stopping = await startService();
  const stopped = stopping.stop(4_000);
  const { findings } = await doctor({
    DATABASE_URL_GATEWAY: database.url,
    RECORDS_URL: `http://127.0.0.1:${stopping.port}`,
    GATEWAY_URL: `http://127.0.0.1:${stopping.port}`,
  });
  expect(findings.slice(1, 3)).toMatchObject([
    { part: "records service", ok: false, says: `NOT_SERVING at http://127.0.0.1:${stopping.port}` },
    { part: "public API", ok: false },
  ]);
  await stopped;
});

test("a migration that was begun and not ended is named, whichever part it is of", async () => {
  await other.db.pool.query("UPDATE _prisma_migrations SET finished_at = NULL");
  const { findings } = await doctor({ DATABASE_URL_GATEWAY: database.url, DATABASE_URL_WEBHOOKS: other.url });
  expect(findings[1]).toMatchObject({ ok: false, says: expect.stringContaining("20260101000000_init") });
});

test("servers that are too old are named with what is needed, and what is not NATS is told from it", async () => {
  const older = await testDatabase({ directory: gatewayMigrations });
  await pretendVersion(older, "14.19");
  const [old, other] = await Promise.all([greeter('INFO {"version":"2.8.4"} \r\n'), greeter("220 ready\r\n")]);
  const env = { DATABASE_URL_GATEWAY: older.url, NATS_URL: `${old.url}, ${other.url}` };
  const { status, findings } = await doctor(env);
  expect(status).toBe(1);
  expect(findings).toMatchObject([
    { ok: false, says: "PostgreSQL 14.19 is too old. Install version 15 or newer." },
    { ok: false, says: "nats-server 2.8.4 is too old. Install version 2.9 or newer." },
    { ok: false, says: `not reachable at ${other.url}: the server at this URL is not NATS` },
    node,
  ]);
  await Promise.all([old.close(), other.close(), older.drop()]);
});

test("a database whose sessions do not find the tables is named with the reason", async () => {
  const astray = await testDatabase({ directory: gatewayMigrations });
  await astray.db.pool.query(`ALTER DATABASE ${new URL(astray.url).pathname.slice(1)} SET search_path = elsewhere`);
  const { findings } = await doctor({ DATABASE_URL_GATEWAY: astray.url });
  expect(findings[0]).toMatchObject({
    ok: false,
    says: expect.stringMatching(/^The tables are in schema public, but the search_path .* leads to no schema\.$/),
  });
  await astray.drop();
});

test("commands wait for a database longer than requests would: here its connections come through after 1.2 s", async () => {
  const { hostname, port } = new URL(database.url);
  const sockets: Socket[] = [];
  const slow = createServer((near) => {
    sockets.push(near.pause());
    setTimeout(() => near.pipe(connect(Number(port), hostname)).pipe(near), 1_200);
  }).listen(0, "127.0.0.1");
  await once(slow, "listening");
  const url = new URL(database.url);
  url.host = `127.0.0.1:${(slow.address() as AddressInfo).port}`;
  const env = { DATABASE_URL_GATEWAY: url.href };
  const { status, findings } = await doctor(env);
  await admin("account create --name Slow", { DATABASE_URL_GATEWAY: database.url });
  const created = await admin("key create --account Slow --environment sandbox", env);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => slow.close(resolve));
  expect({ status, findings }).toMatchObject({ status: 0, findings: [{ ok: true }, unread(0), node] });
  expect(created.status).toBe(0);
});

test("no platform at all", async () => {
  const { status, findings } = await doctor({ DATA_DIR: "/notFound" });
  expect(status).toBe(1);
  expect(findings).toMatchObject([{ part: "platform", ok: false, advice: expect.stringContaining("npm start") }, node]);
});
