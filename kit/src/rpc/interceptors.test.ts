import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { BatchService } from "@shipping/proto/shipping/batch/v1/batch_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { fail } from "../errors.js";
import { DatabaseOutage } from "../postgres/outage.js";
import { createLog } from "../process/log.js";
import { createMetrics, type Metrics } from "../process/metrics.js";
import { readRequest } from "../testing/rpc-testbed.js";
import { connectTo, type ServiceTransport } from "./client.js";
import { type RpcServer, serve } from "./server.js";
import { methodPath } from "./unary/protocol.js";

const lines: string[] = [];
const log = createLog({ part: "test", destination: { write: (line) => void lines.push(line) } });
let metrics: Metrics;
let server: RpcServer;
let transport: ServiceTransport;

beforeEach(async () => {
  metrics = createMetrics({ part: "test", log });
  const answers = [
    { case: "snapshot", value: { replayed: false } },
    { case: "snapshot", value: { replayed: true } },
    { case: "stale", value: {} },
  ] as const;
  let asked = 0;
  server = await serve({
    port: 0,
    host: "127.0.0.1",
    log,
    metrics,
    routes: (router) => {
      router.service(LedgerService, {
        read({ idempotencyKey }) {
          if (idempotencyKey === "missing") throw fail("not_found");
          if (idempotencyKey === "broken") throw new Error("a bug");
          if (idempotencyKey === "away") throw new DatabaseOutage(new Error("gone"), false);
          return {};
        },
      });
      router.service(RecordsService, { createOrder: () => ({ outcome: { outcome: answers[asked++ % 3]! } }) });
    },
  });
  transport = connectTo({ urls: `http://127.0.0.1:${server.port}`, log });
});
afterEach(async () => {
  await transport.close();
  await server.stop(0);
});

/** Returns the samples of a series that are not zero, as they are shown. */
async function shown(series: string): Promise<string[]> {
  const lines = (await metrics.render()).split("\n");
  return lines.filter((line) => line.startsWith(`${series}{`) && !line.endsWith(" 0")).sort();
}

test("calls are counted by method and result, and timed by method", async () => {
  const client = createClient(LedgerService, transport);
  for (const key of ["a", "b", "missing", "broken"]) await client.read(readRequest(key)).catch(() => {});
  // A read whose outcome is unknown is sent once more.
  expect(await shown("rpc_requests_total")).toEqual([
    'rpc_requests_total{rpc="LedgerService/Read",code="Unknown",part="test"} 2',
    'rpc_requests_total{rpc="LedgerService/Read",code="not_found",part="test"} 1',
    'rpc_requests_total{rpc="LedgerService/Read",code="ok",part="test"} 2',
  ]);
  expect(await shown("rpc_request_duration_seconds_count")).toEqual([
    'rpc_request_duration_seconds_count{part="test",rpc="LedgerService/Read"} 5',
  ]);
});

test("the cause of a failed call is logged, the reason of a refusal is not", async () => {
  lines.length = 0;
  const client = createClient(LedgerService, transport);
  for (const key of ["missing", "away"]) await client.read(readRequest(key)).catch(() => {});
  const calls = lines.map((line) => JSON.parse(line)).filter(({ rpc }) => rpc?.endsWith("LedgerService/Read"));
  expect(calls.map(({ level, code, err }) => [level, code, err?.message])).toEqual([
    ["info", "not_found", undefined],
    ["error", "service_unavailable", "gone"],
  ]);
});

test("each call in a batch is counted, whoever sends the batch, and the batch itself is not", async () => {
  const own = createClient(LedgerService, transport);
  await Promise.allSettled(["a", "missing"].map((key) => own.read(readRequest(key))));
  const baseUrl = `http://127.0.0.1:${server.port}`;
  const path = methodPath(LedgerService.method.read);
  const batches = createClient(BatchService, createGrpcTransport({ baseUrl }));
  await batches.call({ calls: [{ path }, { path }, { path: "/elsewhere" }] });
  expect(await shown("rpc_requests_total")).toEqual([
    'rpc_requests_total{rpc="LedgerService/Read",code="not_found",part="test"} 1',
    'rpc_requests_total{rpc="LedgerService/Read",code="ok",part="test"} 3',
  ]);
});

test("outcomes of writes are counted, starting at zero", async () => {
  expect(await metrics.render()).toContain('ledger_outcomes_total{outcome="conflict",part="test"} 0');
  const client = createClient(RecordsService, transport);
  for (let write = 0; write < 4; write++) await client.createOrder({});
  expect(await shown("ledger_outcomes_total")).toEqual([
    'ledger_outcomes_total{outcome="executed",part="test"} 2',
    'ledger_outcomes_total{outcome="replayed",part="test"} 1',
    'ledger_outcomes_total{outcome="stale",part="test"} 1',
  ]);
});
