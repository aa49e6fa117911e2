// Plays the main steps against a deployed gateway, from a pod with the image of the operator's commands: makes a key, for an account that all runs
// share, then order, shipment, rate, label, PDF, repetition, void. If a receiver is named, every event has to arrive there, signed; if a portal is
// named, it has to serve the documentation; if an MCP server is named, its tools have to reach the account. It revokes the key at the end, even
// after a failure.
import { execFileSync } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

const { BASE_URL, MCP_URL, PAGES_URL, RECEIVER_URL } = process.env;
const ACCOUNT = "Smoke test";
const run = randomUUID();
let steps = 0;

function admin(...args) {
  return JSON.parse(
    execFileSync("admin", [...args, "--json"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }),
  );
}

// Network policies take a moment to let a new pod through.
async function whenReachable(work) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      process.stdout.write(`waiting: ${error.stderr ?? error.message}\n`);
      await pause(1_000);
    }
  }
}

function check(holds, promise) {
  if (!holds) throw new Error(promise);
  steps++;
  process.stdout.write(`ok  ${promise}\n`);
}

async function send(method, path, { body, name = path }) {
  return fetch(`${BASE_URL}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(method === "GET" ? {} : { "idempotency-key": `${run} ${name}` }),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function call(method, path, { body, name, status }) {
  let response = await send(method, path, { body, name });
  // Waits as Retry-After requests: during a deployment the platform may be busy for a moment.
  for (let left = 5; left > 0 && response.status === 503; left--) {
    process.stdout.write(`repeating: ${method} ${path} answered ${await response.text()}\n`);
    await pause(1_000);
    response = await send(method, path, { body, name });
  }
  const bytes = Buffer.from(await response.arrayBuffer());
  check(
    response.status === status,
    `${method} ${path} answers ${status}${response.status === status ? "" : `, not ${response.status} ${bytes}`}`,
  );
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return {
    bytes,
    replayed: response.headers.get("idempotency-replayed"),
    data: isJson ? JSON.parse(bytes).data : undefined,
  };
}

async function signedEvent(type, id, secret) {
  const deadline = Date.now() + 60_000;
  const of = new URLSearchParams({ of: `${type} ${id}` });
  while (Date.now() < deadline) {
    const deliveries = await (await fetch(`${RECEIVER_URL}/deliveries?${of}`)).json();
    // An earlier run may have left a subscription.
    if (deliveries.some((delivery) => isSigned(delivery, secret)))
      return check(true, `${type} of ${id} arrived, signed`);
    await pause(250);
  }
  check(false, `${type} of ${id} arrives within a minute, signed`);
}

function isSigned({ signature, body }, secret) {
  const [, time, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  return hex === createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
}

/** The result of one of the MCP server's tools. */
async function callTool(name) {
  const response = await fetch(MCP_URL, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
  });
  return (await response.json()).result;
}

const accounts = await whenReachable(() => admin("account", "list"));
await whenReachable(() => fetch(`${BASE_URL}/openapi.json`));
const account =
  accounts.find(({ name, suspendedAt }) => name === ACCOUNT && !suspendedAt) ??
  admin("account", "create", "--name", ACCOUNT);
const { id: keyId, key } = admin(
  ...["key", "create", "--account", account.id, "--environment", "sandbox", "--expires-in", "1h", "--name", run],
);
process.on("exit", () => admin("key", "revoke", keyId));
process.once("SIGTERM", () => process.exit(1));
const events = ["order.created", "shipment.created", "label.created", "label.voided"];
const address = { name: "Ada Byron", street1: "1 Long Lane", city: "London", postal_code: "EC1A 9HF", country: "GB" };
const order = {
  reference: "Order 1001",
  from: { ...address, name: "Warehouse", city: "Hamburg", postal_code: "20457", country: "DE" },
  to: address,
  parcel: { weight_kg: 1.2, length_cm: 30, width_cm: 20, height_cm: 10 },
};

await call("GET", "/account", { status: 200 });
const subscription =
  RECEIVER_URL && (await call("POST", "/webhooks", { body: { url: RECEIVER_URL, events }, status: 201 })).data;
const { data: placed } = await call("POST", "/orders", { body: order, status: 201 });
const { data: shipment } = await call("POST", "/shipments", { body: { ...order, order_id: placed.id }, status: 201 });
const { data: rates } = await call("POST", "/rates", { body: { shipment_id: shipment.id }, status: 200 });
const wanted = { shipment_id: shipment.id, rate_id: rates[0].id };
const label = await call("POST", "/labels", { body: wanted, status: 201 });
const { data: tracked } = await call("GET", `/tracking/${label.data.tracking_number}`, { status: 200 });
check(tracked.status === "pre_transit", "the label's parcel is tracked");
const file = await call("GET", `/labels/${label.data.id}/file`, { status: 200 });
check(file.bytes.subarray(0, 5).toString() === "%PDF-", "the label is a PDF");
const again = await call("POST", "/labels", { body: wanted, status: 201 });
check(again.replayed === "true" && again.bytes.equals(label.bytes), "its repetition answers the same bytes");
await call("POST", "/labels", { body: wanted, name: "another label", status: 409 });
await call("POST", `/labels/${label.data.id}/void`, { body: {}, status: 200 });
if (subscription) {
  await signedEvent("order.created", placed.id, subscription.secret);
  await signedEvent("shipment.created", shipment.id, subscription.secret);
  await signedEvent("label.created", label.data.id, subscription.secret);
  await signedEvent("label.voided", label.data.id, subscription.secret);
  await call("DELETE", `/webhooks/${subscription.id}`, { status: 200 });
}
if (PAGES_URL) check((await fetch(`${PAGES_URL}/docs`)).ok, "the portal serves the documentation");
if (MCP_URL) {
  const result = await callTool("getAccount");
  check(result?.content[0].text.includes(account.id), "a tool of the MCP server reaches the account");
}
process.stdout.write(`All ${steps} steps went as the specification says.\n`);
// Idle connections would keep the process for another minute.
process.exit(0);
