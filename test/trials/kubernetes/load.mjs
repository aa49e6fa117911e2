// Steady load on a deployed gateway, through its Service, until /tmp/stop appears: four clients that create orders, shipments and labels and read
// them. They repeat a request only if REPEAT is set and the response was 503 with Retry-After, or if a new label is not tracked yet. Ends with one
// line of JSON: the failures, and the events that did not reach the receiver.
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const { BASE_URL, RECEIVER_URL, CLIENTS = "4", PAUSE_MS = "100", REPEAT = "" } = process.env;
const REPEAT_MS = 120_000;
// For try-failover.sh, which reads it while the load runs.
const UNAVAILABLE = "/tmp/unavailable";
writeFileSync(UNAVAILABLE, "0");
const failures = [];
const expected = [];
let requests = 0;
let unavailable = 0;
let slowestMs = 0;

const admin = (...args) => JSON.parse(execFileSync("admin", [...args, "--json"], { encoding: "utf8" }));

// Seconds until a request may be repeated; undefined if it may not be.
function repeatAfter(path, { status, headers }) {
  // The tracking record is a copy. If tracking is down while a label is made, the copy follows within seconds.
  if (status === 404 && path.startsWith("/tracking/")) return 1;
  return status === 503 ? headers.get("retry-after")?.match(/^\d+$/)?.[0] : undefined;
}

async function send(method, path, body, idempotencyKey, deadline) {
  requests++;
  const response = await fetch(`${BASE_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "idempotency-key": idempotencyKey, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const seconds = repeatAfter(path, response);
  if (!REPEAT || seconds === undefined || Date.now() > deadline) return response;
  writeFileSync(UNAVAILABLE, String(++unavailable));
  await response.arrayBuffer();
  await pause(Number(seconds) * 1_000);
  return send(method, path, body, idempotencyKey, deadline);
}

async function call(method, path, body) {
  const begun = new Date();
  try {
    const response = await send(method, path, body, randomUUID(), Date.now() + REPEAT_MS);
    const answer = await response.json();
    if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(answer.error)}`);
    slowestMs = Math.max(slowestMs, Date.now() - begun);
    return answer.data;
  } catch (error) {
    failures.push(
      `${begun.toISOString()} ${method} ${path} after ${Date.now() - begun} ms: ${error.cause?.message ?? error.message}`,
    );
    throw error;
  }
}

const address = { name: "Ada Byron", street1: "1 Long Lane", city: "London", postal_code: "EC1A 9HF", country: "GB" };
const parcel = { weight_kg: 1.2, length_cm: 30, width_cm: 20, height_cm: 10 };
const order = { reference: "Load", from: address, to: address, parcel };

async function placeOne() {
  const placed = await call("POST", "/orders", order);
  expected.push(`order.created ${placed.id}`);
  const shipment = await call("POST", "/shipments", { ...order, order_id: placed.id });
  expected.push(`shipment.created ${shipment.id}`);
  const [rate] = await call("POST", "/rates", { shipment_id: shipment.id });
  const label = await call("POST", "/labels", { shipment_id: shipment.id, rate_id: rate.id });
  expected.push(`label.created ${label.id}`);
  await call("GET", `/tracking/${label.tracking_number}`);
}

async function client() {
  while (!existsSync("/tmp/stop")) {
    // The failure is recorded, and the client continues with the next order.
    await placeOne().catch(() => {});
    await pause(Number(PAUSE_MS));
  }
}

async function missingEvents() {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const arrived = new Set(await (await fetch(`${RECEIVER_URL}/events`)).json());
    const missing = expected.filter((event) => !arrived.has(event));
    if (missing.length === 0 || Date.now() > deadline) return missing;
    await pause(1_000);
  }
}

async function whenReachable(work) {
  for (let left = 60; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
      await pause(1_000);
    }
  }
}

// Network policies take a moment to let a new pod through.
await whenReachable(() => admin("account", "list"));
await whenReachable(() => fetch(`${BASE_URL}/openapi.json`));
const account = admin("account", "create", "--name", "Load");
const { key } = admin("key", "create", "--account", account.id, "--environment", "sandbox");
const events = ["order.created", "shipment.created", "label.created"];
await call("POST", "/webhooks", { url: RECEIVER_URL, events });
process.stdout.write("loading\n");
const begun = Date.now();
await Promise.all(Array.from({ length: Number(CLIENTS) }, client));
const seconds = Math.round((Date.now() - begun) / 1000);
const missing = await missingEvents();
const summary = {
  seconds,
  requests,
  unavailable,
  failed: failures.length,
  slowestMs,
  events: expected.length,
  lost: missing.length,
};
// Idle connections would keep the process for another minute. A pipe holds 64 KiB, so longer output would be cut off without waiting.
process.stdout.write(
  `${[...failures, ...missing.map((event) => `lost: ${event}`)].join("\n")}\n${JSON.stringify(summary)}\n`,
  () => process.exit(failures.length + missing.length > 0 ? 1 : 0),
);
