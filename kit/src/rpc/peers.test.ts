import { once } from "node:events";
import tls from "node:tls";
import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@shipping/proto/grpc/health/v1/health_pb";
import { BatchService } from "@shipping/proto/shipping/batch/v1/batch_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { createLog } from "../process/log.js";
import { createMetrics } from "../process/metrics.js";
import { certificateFolder, type TestAuthority, testAuthority } from "../testing/certificates.js";
import { eventually } from "../testing/eventually.js";
import { empty, ledgerRoutes, readRequest } from "../testing/rpc-testbed.js";
import type { Peers } from "../tls/secure-server.js";
import { connectSecurely, openTls, type Tls } from "../tls/tls.js";
import { connectTo } from "./client.js";
import { measureRefusals } from "./interceptors.js";
import { serve } from "./server.js";
import { methodPath } from "./unary/protocol.js";

const table: Peers = {
  gateway: LedgerService.methods,
  carrier: [LedgerService.method.read],
};
const lines: string[] = [];
const log = createLog({ part: "test", destination: { write: (line) => void lines.push(line) } });
// Our clients also watch the health of the parts that they call.
const logged = (text: string) =>
  lines.filter((line) => line.includes(text) && !line.includes(Health.typeName)).map((line) => JSON.parse(line));
const ends: (() => unknown)[] = [];
const clients: { close(): unknown }[] = [];
let authority: TestAuthority;
let url: string;
const handled: string[] = [];

/** Returns the TLS of a part. */
async function tlsOfPart(part: string, platform?: string): Promise<Tls> {
  const folder = certificateFolder();
  const issued = await authority.issue(["127.0.0.1"], { part, ...(platform === undefined ? {} : { platform }) });
  folder.write({ ...issued, ca: authority.ca });
  const made = openTls(folder.settings, log)!;
  ends.push(folder.remove, () => made.close());
  return made;
}

/** Starts a part whose metrics count only this test's clients. */
async function serveRecords() {
  const metrics = createMetrics({ part: "test", log });
  const routes = ledgerRoutes((key) => handled.push(key));
  const records = await tlsOfPart("records");
  const refused = measureRefusals(metrics);
  const server = await serve({ routes, peers: table, port: 0, host: "127.0.0.1", log, metrics, tls: records, refused });
  ends.push(() => server.stop(0));
  return { url: `https://127.0.0.1:${server.port}`, metrics };
}

beforeAll(async () => {
  authority = await testAuthority();
  ({ url } = await serveRecords());
});
beforeEach(() => {
  // Connect's adapter logs an error for each watcher that hangs up, because it does not recognize Node's errors in Jest's realm.
  jest.spyOn(console, "error").mockImplementation(() => {});
  handled.length = 0;
  lines.length = 0;
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

function clientOf(part: Tls) {
  const transport = connectTo({ urls: url, log, tls: part });
  clients.push(transport);
  return createClient(LedgerService, transport);
}

/** Clients other than ours: the library's, in JSON and in gRPC, which the library also answers on the server. */
function strangersOf(part: Tls, baseUrl = url) {
  const nodeOptions = { createConnection: (to: URL) => connectSecurely(part, to, "127.0.0.1") };
  const sessionManager = new Http2SessionManager(baseUrl, undefined, nodeOptions);
  clients.push({ close: () => sessionManager.abort() });
  const options = { baseUrl, sessionManager, httpVersion: "2" as const };
  return [createConnectTransport({ ...options, useBinaryFormat: false }), createGrpcTransport(options)];
}

const resolveRequest = { ...readRequest("resolved"), token: 1n };
const denied = expect.objectContaining({ code: Code.PermissionDenied });
const reasons = (ends: PromiseSettledResult<unknown>[]) =>
  ends.map((end) => (end.status === "rejected" ? end.reason : "answered"));

test("a part in the table can check and watch the health, and another cannot", async () => {
  for (const transport of strangersOf(await tlsOfPart("carrier"))) {
    const health = createClient(Health, transport);
    expect(await health.check({})).toMatchObject({ status: Status.SERVING });
    const { value } = await health.watch({})[Symbol.asyncIterator]().next();
    expect(value?.status).toBe(Status.SERVING);
  }
  for (const transport of strangersOf(await tlsOfPart("tracking"))) {
    const health = createClient(Health, transport);
    await expect(health.check({})).rejects.toEqual(denied);
    await expect(health.watch({})[Symbol.asyncIterator]().next()).rejects.toEqual(denied);
  }
});

test("the part that the table names for it calls a method, alone, in a batch, and with the library's clients", async () => {
  const carrier = await tlsOfPart("carrier");
  const client = clientOf(carrier);
  expect(await client.read(readRequest())).toEqual(empty());
  expect(await Promise.all([client.read(readRequest()), client.read(readRequest())])).toEqual([empty(), empty()]);
  for (const transport of strangersOf(carrier)) {
    expect(await createClient(LedgerService, transport).read(readRequest())).toEqual(empty());
  }
  expect(handled).toHaveLength(5);
  expect(logged('"msg":"rpc"').map(({ peer }) => peer)).toEqual(Array(5).fill("carrier"));
});

test("a batch from the library's clients is judged call by call", async () => {
  for (const transport of strangersOf(await tlsOfPart("carrier"))) {
    const calls = LedgerService.methods.map((method) => ({ path: methodPath(method) }));
    const { answers } = await createClient(BatchService, transport).call({ calls });
    expect(answers.map(({ status }) => status)).toEqual([200, 403]);
  }
  expect(handled).toHaveLength(2);
  expect(logged("may not call").map(({ rpc }) => rpc)).toEqual(
    Array(2).fill("shipping.ledger.v1.LedgerService/Resolve"),
  );
});

describe("every other call is refused before its handler, by every way", () => {
  test.each([
    ["a method that is another part's", "carrier", undefined, "carrier may not call"],
    ["a part that the table does not know", "tracking", undefined, "tracking may not call"],
    ["a part of another platform", "gateway", "spiffe://tests/another", "names no part of this platform may not call"],
    ["a name that every object has", "constructor", undefined, "constructor may not call"],
  ])("%s", async (_case, part, platform, message) => {
    const caller = await tlsOfPart(part, platform);
    const client = clientOf(caller);
    const calls = [client.resolve(resolveRequest)];
    await Promise.allSettled(calls);
    // Calls made in one turn of the event loop share a stream.
    calls.push(client.resolve(resolveRequest), client.resolve(resolveRequest));
    for (const transport of strangersOf(caller)) {
      calls.push(createClient(LedgerService, transport).resolve(resolveRequest));
    }
    expect(reasons(await Promise.allSettled(calls))).toEqual(Array(5).fill(denied));
    expect(handled).toEqual([]);
    const refusals = logged("may not call");
    expect(refusals).toHaveLength(5);
    expect(refusals[0]).toMatchObject({
      level: "error",
      code: "PermissionDenied",
      err: { message: expect.anything() },
    });
    expect(refusals[0].err.message).toContain(message);
  });

  test("and counted, as are connections without a certificate", async () => {
    const { url: own, metrics } = await serveRecords();
    const refused = async () => {
      const found = [...(await metrics.render()).matchAll(/^rpc_refused_total\{reason="(\w+)".*\} (\d+)$/gm)];
      return Object.fromEntries(found.map(([, reason, count]) => [reason, Number(count)]));
    };
    const [stranger] = strangersOf(await tlsOfPart("carrier"), own);
    await Promise.allSettled([createClient(LedgerService, stranger!).resolve(resolveRequest)]);
    expect(await refused()).toEqual({ certificate: 0, method: 1 });
    for (let tries = 0; tries < 2; tries++) {
      const { hostname: host, port } = new URL(own);
      const socket = tls.connect({ host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ["h2"] });
      await once(socket, "error");
    }
    await eventually(async () => expect(await refused()).toEqual({ certificate: 2, method: 1 }));
    expect(logged("without a valid certificate")).toEqual([expect.objectContaining({ from: "127.0.0.1" })]);
  });
});
