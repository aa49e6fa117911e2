import { randomBytes } from "node:crypto";
import { newApiKey, scopes } from "@shipping/api/api-key";
import { openApiDocument } from "@shipping/api/openapi/openapi";
import { listErrorCodes, type Operation } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import {
  type Asked,
  ask,
  type Customer,
  create,
  goodRequest,
  nameOf,
  newCustomer,
  record,
} from "../edge/operations.js";
import type { Sending } from "../edge/wire.js";
import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, startStack } from "../platform/stack.js";

// A customer's request cannot cause these errors. The tests of outages, of waiting for a claim and of failures cover them.
const ELSEWHERE = new Set(["internal_error", "service_unavailable", "idempotency_in_progress"]);
const LIMIT = 20;
const SOME_ID = "mfrggzdfmztwq2lknnwg23tpoa";

interface Refusal {
  error: { code: string; message: string; request_id: string; fields?: { path: string; message: string }[] };
}
type Responses = Record<string, { content: { "application/json": { examples: Record<string, { value: Refusal }> } } }>;

const { paths } = JSON.parse(JSON.stringify(openApiDocument())) as {
  paths: Record<string, Record<string, { responses: Responses }>>;
};

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ requestsPerMinute: LIMIT });
});
afterAll(() => stack.stop());

/** The example of an error, with its status. */
function exampleOf({ method, path }: Operation, code: string): [status: number, example: Refusal] {
  for (const [status, { content }] of Object.entries(paths[path]?.[method.toLowerCase()]?.responses ?? {})) {
    const example = content["application/json"]?.examples?.[code];
    if (example) return [Number(status), example.value];
  }
  throw new Error(`${method} ${path} has no example of ${code}.`);
}

type Provoke = (customer: Customer, route: Operation) => Promise<ApiAnswer<never>>;

/** Sends a valid request with a change. */
const changed =
  (change: (asked: Asked) => Partial<Asked>, sending: Sending = {}): Provoke =>
  async (customer, route) => {
    const asked = await goodRequest(customer, route);
    return ask(customer, { ...asked, ...change(asked) }, sending);
  };

/** Sends it with a fault that applies to every operation. */
const sent = (sending: Sending) => changed(() => ({}), sending);

/** Sends it with another key. */
const as =
  (other: (customer: Customer, route: Operation) => Promise<Customer>): Provoke =>
  async (customer, route) =>
    ask(await other(customer, route), await goodRequest(customer, route));

async function exhausted({ accountId }: Customer): Promise<Customer> {
  const holder = await newCustomer(stack, { accountId });
  for (let n = 0; n < LIMIT; n++) await holder.send("GET", "/account");
  return holder;
}

async function labelled(customer: Customer): Promise<{ id: string; label: { shipment_id: string; rate_id: string } }> {
  const { id: shipment_id } = await create(customer, "/shipments", record);
  const label = { shipment_id, rate_id: `rate_test_${shipment_id}` };
  return { id: (await create(customer, "/labels", label)).id, label };
}

async function voided(customer: Customer) {
  const made = await labelled(customer);
  await ask(customer, { method: "POST", path: `/labels/${made.id}/void`, body: {} });
  return made;
}

/** Well-formed IDs that do not exist. */
const withForeignIds = (text: string) =>
  text.replace(/(ord|shp|lbl|whk)_[a-z2-7]{26}/g, `$1_${SOME_ID}`).replace(/TEST\w+/, "TEST0");

const provoke: Record<string, Provoke> = {
  unauthorized: sent({ key: newApiKey("sandbox", randomBytes).key }),
  missing_scope: as(({ accountId }, { scope }) =>
    newCustomer(stack, { accountId, scopes: scopes.filter((one) => one !== scope) }),
  ),
  rate_limited: as(exhausted),
  carrier_not_configured: as(({ accountId }) => newCustomer(stack, { accountId, environment: "live" })),
  unsupported_media_type: sent({ headers: { "Content-Type": "text/plain" } }),
  payload_too_large: sent({ body: "x".repeat(70_000) }),
  invalid_json: sent({ body: "{" }),
  not_found: changed(({ path, body }) => ({
    path: withForeignIds(path),
    ...(body !== undefined && { body: JSON.parse(withForeignIds(JSON.stringify(body))) }),
  })),
  async idempotency_conflict(customer, route) {
    const headers = { "Idempotency-Key": "used" };
    await ask(customer, { method: "POST", path: "/orders", body: record }, { headers });
    return changed((asked) => (asked.path === "/orders" ? { body: { ...record, reference: "x" } } : {}), { headers })(
      customer,
      route,
    );
  },
  label_exists: async (customer) =>
    ask(customer, { method: "POST", path: "/labels", body: (await labelled(customer)).label }),
  shipment_voided: async (customer) =>
    ask(customer, { method: "POST", path: "/labels", body: (await voided(customer)).label }),
  label_voided: async (customer) =>
    ask(customer, { method: "GET", path: `/labels/${(await voided(customer)).id}/file` }),
  async webhook_limit_reached(customer, route) {
    for (let n = 0; n < 10; n++) await ask(customer, await goodRequest(customer, route));
    return ask(customer, await goodRequest(customer, route));
  },
  invalid_request: (customer, route) => invalid(route)(customer, route),
};

/** The invalid part in the example of an operation: a field, a parameter or a header. */
function invalid(route: Operation): Provoke {
  const [, { error }] = exampleOf(route, "invalid_request");
  const path = error.fields?.[0]?.path;
  const faults: Record<string, Provoke> = {
    "Idempotency-Key": sent({ headers: { "Idempotency-Key": "" } }),
    "to.country": changed(({ body }) => ({
      body: { ...(body as typeof record), to: { ...record.to, country: "fr" } },
    })),
    limit: changed((asked) => ({ path: `${asked.path}?limit=101` })),
    shipment_id: changed(() => ({ body: {} })),
    format: changed(({ body }) => ({ body: { ...(body as object), format: "zpl" } })),
    events: changed(({ body }) => ({ body: { ...(body as object), events: [] } })),
    note: changed((asked) => (asked.body ? { body: { ...asked.body, note: "x" } } : { path: `${asked.path}?note=x` })),
  };
  const fault = faults[path ?? ""];
  if (!fault) throw new Error(`Nothing makes ${path} be at fault.`);
  return fault;
}

const all = operations.flatMap((route) =>
  listErrorCodes(route)
    .filter((code) => !ELSEWHERE.has(code))
    .map((code) => ({ name: nameOf(route), code, route })),
);
// Many operations have the same example: one of them is enough.
const refusals = [...new Map(all.map((one) => [JSON.stringify(exampleOf(one.route, one.code)), one])).values()];

test.each(refusals)("$name answers its example of $code", async ({ route, code }) => {
  const provoked = await provoke[code]?.(await newCustomer(stack), route);
  const [status, { error }] = exampleOf(route, code);
  // The error names the first request once that is in the log, which can take a second.
  if (code === "idempotency_conflict")
    error.message = expect.stringMatching(/Send a new key, or the first request unchanged\.$/);
  const labelId = /lbl_[a-z2-7]{26}/;
  if (code === "label_exists")
    error.message = expect.stringMatching(new RegExp(`^${error.message.replace(labelId, labelId.source)}$`));
  expect([provoked?.status, provoked?.body]).toEqual([
    status,
    { error: { ...error, request_id: expect.stringMatching(/^req_/) } },
  ]);
});
