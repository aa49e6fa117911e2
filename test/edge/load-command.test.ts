import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { apiClient, dataOf, type Shipment } from "../api-client.js";
import { exhaust } from "../bench/customers.js";
import { type Stack, sharedStack } from "../stack.js";
import { admin as adminOn } from "./admin.js";

let stack: Stack;
let limited: Stack;
let metrics: Server;
let cpuSeconds = 0;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  limited = await sharedStack({ requestsPerMinute: 120 });
  // As a gateway shows them, which works harder at each reading.
  metrics = createServer(({ url }, response) => {
    if (url !== "/metrics") return void response.writeHead(404).end();
    cpuSeconds += 100;
    response.end(`process_start_time_seconds{part="gateway"} 1
process_cpu_seconds_total{part="gateway"} ${cpuSeconds}
gateway_work_under_way{part="gateway"} 32
gateway_work_under_way_max{part="gateway"} 128
`);
  }).listen(0, "127.0.0.1");
  await once(metrics, "listening");
});
afterAll(async () => {
  metrics.close();
  await stack.stop();
  await limited.stop();
});

/** The environment of a load on a platform, with keys. */
const on = ({ baseUrl }: Stack, keys: string) => ({ GATEWAY_URL: new URL(baseUrl).origin, LOAD_KEYS: keys });

async function load(line: string, of: Stack, keys: string) {
  const { status, out, err } = await adminOn(of, `load ${line} --json`, on(of, keys));
  expect({ status, err }).toEqual({ status: 0, err: "" });
  return JSON.parse(out);
}

test("a load is answered at the rate that was asked for, and leaves its shipments", async () => {
  const { accountId, sandbox } = await stack.newCustomer();
  const second = await stack.newKey(accountId);
  const found = await load("--minutes 0.01 --rate 50", stack, `${sandbox},${second.key}`);
  // 0.6 seconds: fifteen of each, and the shipment by which address and key are checked before.
  expect(found).toMatchObject({ errors: [], held: 0, shipments: 16, unseen: [] });
  expect(found.requests).toMatchObject([
    { request: "POST /shipments", answered: 15 },
    { request: "GET /shipments/{id}", answered: 15 },
  ]);
  for (const { p50, p95, p99, max } of found.requests)
    expect([p50, p95, p99, max]).toEqual([p50, p95, p99, max].toSorted((one, other) => one - other));
  const listed = await dataOf<Shipment[]>(200, apiClient(stack.baseUrl, sandbox).get("/shipments?limit=100"));
  expect(listed.map(({ reference }) => reference)).toEqual(Array(16).fill("admin load"));
});

test("when a key has used up its limit, that is the bottleneck", async () => {
  const { accountId, sandbox } = await limited.newCustomer();
  await exhaust(limited.databases.gateway, [{ accountId, keys: [sandbox] }], 117);
  const { requests, errors, held, bottleneck } = await load("--minutes 0.01 --rate 20", limited, sandbox);
  // One of the three that are left was sent before the load.
  expect(requests[0].answered + requests[1].answered).toBe(2);
  expect(errors).toEqual([{ error: "429 rate_limited", count: 10 - held }]);
  expect(bottleneck).toContain("The rate limit of the keys");
});

test("a key that was refused with 429 is not used again until its Retry-After", async () => {
  const keys: (string | undefined)[] = [];
  const api = createServer(({ headers }, response) => {
    keys.push(headers.authorization);
    const isFirst = keys.length === 1;
    response.writeHead(isFirst ? 201 : 429, { "retry-after": "60" }).end('{"data":{"id":"shp_a"}}');
  }).listen(0, "127.0.0.1");
  await once(api, "listening");
  try {
    const baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const found = await load("--minutes 0.02 --rate 50", { ...stack, baseUrl }, "service_test_a,service_test_b");
    expect(found).toMatchObject({ shipments: 1, errors: [{ error: "429", count: keys.length - 1 }] });
    expect(found.held).toBe(60 - found.errors[0].count);
    expect(found.held).toBeGreaterThan(0);
  } finally {
    api.close();
  }
});

test("the bottleneck is what the parts' metrics show as used most; what cannot be read is named", async () => {
  const { sandbox } = await stack.newCustomer();
  const url = `http://127.0.0.1:${(metrics.address() as AddressInfo).port}/metrics`;
  const line = `load --minutes 0.005 --rate 20 --metrics ${url},${url}/none`;
  const { out } = await adminOn(stack, line, on(stack, sandbox));
  expect(out).toMatch(/\nwork in progress of gateway +25%\n/);
  expect(out).toMatch(/\nNot read: http:\/\/\S+\/none \(404 without metrics of a part\)\n/);
  expect(out).toMatch(/\nBottleneck: one core by gateway, \d+% used\.\n/);
  expect(out).toMatch(/\d+ shipments were created in the sandbox and stay there\.\n$/);
});

test.each([
  ["a live key", "service_live_x", "LOAD_KEYS contains a live key"],
  ["no key", "", "Set LOAD_KEYS to sandbox keys"],
  ["an unknown key", "service_test_x", "failed: 401 unauthorized"],
])("%s is refused before anything is sent", async (_, keys, message) => {
  const { status, out, err } = await adminOn(stack, "load", on(stack, keys));
  expect({ status, out }).toEqual({ status: 1, out: "" });
  expect(err).toContain(message);
});

test.each([
  ["--minutes 31", "Use a number above 0, up to 30."],
  ["--rate 501", "Use a number above 0, up to 500."],
  ["--rate 0", "Use a number above 0, up to 500."],
])("%s is refused", async (option, message) => {
  const { status, err } = await adminOn(stack, `load ${option}`, on(stack, "service_test_x"));
  expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining(message) });
});
