import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Env } from "@shipping/kit/process/config";
import { silentLog } from "@shipping/kit/process/log";
import { serve } from "@shipping/kit/rpc/server";
import { greeter } from "@shipping/kit/testing/greeter";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { adminIn } from "../testing/admin.js";
import { HEALTHY, stubGateway } from "../testing/stub-gateway.js";

let gateway: Awaited<ReturnType<typeof stubGateway>>;
beforeAll(async () => {
  gateway = await stubGateway({ countWaitingChanges: () => ({ waiting: 0, oldestSeconds: 0 }) });
});
afterEach(() => {
  gateway.findings.splice(0, 2, HEALTHY);
});
afterAll(() => gateway.stop());

const node = { part: "Node", ok: true, says: `version ${process.versions.node}` };

/** The finding of a platform without a portal. */
const unread = {
  part: "audit log",
  ok: true,
  says: "nobody reads the changes of accounts (0 waiting), because PORTAL_URL is not set: the platform has no portal",
};

/** Starts a service that has only grpc.health.v1 and these operations of owners. */
const startService = (owner: Partial<ServiceImpl<typeof OwnerOperationsService>> = {}) =>
  serve({
    routes: (router) => router.service(OwnerOperationsService, owner),
    port: 0,
    host: "127.0.0.1",
    log: silentLog(),
  });

/** Starts a server of the public API that answers with this status. */
async function startApi(status: number) {
  const server = createServer((_, response) => response.writeHead(status).end("{}"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}

const { admin } = adminIn(() => ({ GATEWAY_URL: gateway.url }));

/** Runs doctor on the platform in this environment, and returns its exit status and findings. */
async function doctor(env: Env) {
  const { status, out } = await admin("doctor --json", env);
  return { status, ...(JSON.parse(out) as { ok: boolean; findings: { part: string; encryption?: object }[] }) };
}

// Removes the encryption, which doctor-encryption.test.ts covers.
const withoutEncryption = ({ encryption, ...finding }: { encryption?: object }) => finding;

const serving = (part: string, url: string) => ({ part: `${part} service`, ok: true, says: `serving at ${url}` });

test("a healthy platform: status 0, and no advice", async () => {
  const checkServers = () => ({ findings: [HEALTHY] });
  const [records, carrier, api] = await Promise.all([startService({ checkServers }), startService(), startApi(200)]);
  const bus = await greeter('INFO {"version":"2.9.10","go":"go1.19.8"} \r\n');
  const [one, two] = [`http://127.0.0.1:${records.port}`, `http://localhost:${records.port}`];
  const { status, ok, findings } = await doctor({
    API_URL: api.url,
    RECORDS_URL: `${one}, ${two}`,
    CARRIER_URL: `http://127.0.0.1:${carrier.port}`,
    NATS_URL: bus.url,
  });
  expect({ status, ok }).toEqual({ status: 0, ok: true });
  expect(findings.map(withoutEncryption)).toEqual([
    serving("gateway", gateway.url),
    serving("records", one),
    serving("records", two),
    serving("carrier", `http://127.0.0.1:${carrier.port}`),
    { part: "public API", ok: true, says: `answering at ${api.url}` },
    { part: "event bus", ok: true, says: `answering at ${bus.url}, nats-server 2.9.10` },
    { ...HEALTHY, part: "gateway database" },
    { ...HEALTHY, part: "records database" },
    unread,
    node,
  ]);
  api.stop();
  await Promise.all([records.stop(0), carrier.stop(0), bus.close()]);
});

test("what a part says of its own database and settings counts", async () => {
  const database = { part: "database", ok: false, says: "not reachable: ECONNREFUSED", advice: "Check PostgreSQL." };
  const addresses = { part: "client addresses", ok: false, says: "the proxy's", advice: "Set TRUSTED_PROXIES." };
  gateway.findings.splice(0, 1, database, addresses);
  const { status, findings } = await doctor({});
  expect(status).toBe(1);
  expect(findings.map(withoutEncryption)).toEqual([
    serving("gateway", gateway.url),
    { ...database, part: "gateway database" },
    ...[addresses, unread, node],
  ]);
});

test("each part that is down is named with what to do, and hides no other", async () => {
  const records = await startService({ getOutbox: () => ({}) });
  const { status, ok, findings } = await doctor({
    GATEWAY_URL: "http://127.0.0.1:1",
    PORTAL_URL: "http://127.0.0.1:1",
    RECORDS_URL: `http://127.0.0.1:${records.port}`,
    TRACKING_URL: "http://127.0.0.1:1",
    NATS_URL: "nats://127.0.0.1:1",
    API_URL: "http://127.0.0.1:1",
  });
  expect({ status, ok }).toEqual({ status: 1, ok: false });
  const gone = (part: string) => ({
    part,
    ok: false,
    says: expect.stringMatching(/^not reachable at \w+:\/\/127\.0\.0\.1:1: /),
    advice: expect.any(String),
  });
  expect(findings.map(withoutEncryption)).toEqual([
    gone("gateway service"),
    gone("portal service"),
    serving("records", `http://127.0.0.1:${records.port}`),
    gone("tracking service"),
    gone("public API"),
    gone("event bus"),
    { part: "records events", ok: true, says: "published and received" },
    node,
  ]);
  await records.stop(0);
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
  const records = await startService({ getOutbox: () => outbox });
  const url = `http://127.0.0.1:${records.port}`;
  const { findings } = await doctor({ RECORDS_URL: url });
  expect(findings).toContainEqual(expect.objectContaining({ part: "records events", ok, says }));
  await records.stop(0);
});

test("a service that is stopping is not serving, a server of something else is not the API", async () => {
  const [stopping, api] = await Promise.all([startService(), startApi(404)]);
  const stopped = stopping.stop(4_000);
  const { findings } = await doctor({ RECORDS_URL: `http://127.0.0.1:${stopping.port}`, API_URL: api.url });
  expect(findings.slice(1, 3)).toMatchObject([
    { part: "records service", ok: false, says: `NOT_SERVING at http://127.0.0.1:${stopping.port}` },
    { part: "public API", ok: false, says: `404 at ${api.url}` },
  ]);
  api.stop();
  await stopped;
});

test("a NATS that is too old is named with what is needed, and what is not NATS is told from it", async () => {
  const [old, other] = await Promise.all([greeter('INFO {"version":"2.8.4"} \r\n'), greeter("220 ready\r\n")]);
  const { status, findings } = await doctor({ NATS_URL: `${old.url}, ${other.url}` });
  expect(status).toBe(1);
  expect(findings.slice(1, 3)).toMatchObject([
    { ok: false, says: "nats-server 2.8.4 is too old. Install version 2.9 or newer." },
    { ok: false, says: `not reachable at ${other.url}: the server at this URL is not NATS` },
  ]);
  await Promise.all([old.close(), other.close()]);
});

test("no platform at all", async () => {
  const { status, findings } = await doctor({ GATEWAY_URL: undefined, DATA_DIR: "/notFound" });
  expect(status).toBe(1);
  expect(findings).toMatchObject([{ part: "platform", ok: false, advice: expect.stringContaining("npm start") }, node]);
});
