import type { Scope } from "@shipping/api/api-key";
import type { Environment } from "@shipping/kit/caller";
import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, startStack } from "../platform/stack.js";
import { ask, type Customer, create, newCustomer, record, told } from "./operations.js";

const LIMIT = 12;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ requestsPerMinute: LIMIT });
});
afterAll(() => stack.stop());

/** The faults that a request can have at once. Parts that are not named are valid. */
interface Faults {
  route?: boolean;
  key?: boolean;
  limit?: boolean;
  scope?: boolean;
  idempotencyKey?: boolean;
  environment?: boolean;
  type?: boolean;
  size?: boolean;
  json?: boolean;
  depth?: boolean;
  usedKey?: boolean;
  fields?: boolean;
  existence?: boolean;
}

/** The order of errors: each rung with the response to a request that is invalid there and on every rung below. */
const rungs: [keyof Faults, string][] = [
  ["route", "404 not_found"],
  ["key", "401 unauthorized"],
  ["limit", "429 rate_limited"],
  ["scope", "403 missing_scope"],
  ["idempotencyKey", "422 invalid_request Idempotency-Key"],
  ["environment", "503 carrier_not_configured"],
  ["type", "415 unsupported_media_type"],
  ["size", "413 payload_too_large"],
  ["json", "400 invalid_json"],
  ["depth", "422 invalid_request body"],
  ["usedKey", "409 idempotency_conflict"],
  ["fields", "422 invalid_request"],
  ["existence", "404 not_found"],
];

/** The faults of this rung and of all below. */
function faultsFrom(rung: keyof Faults): Faults {
  const names = rungs.map(([name]) => name);
  return Object.fromEntries(names.slice(names.indexOf(rung)).map((name) => [name, true]));
}

async function holderWith({ limit, scope, environment }: Faults, accountId: string): Promise<Customer> {
  const held: Scope[] = ["account:read"];
  const kind: Environment = environment ? "live" : "sandbox";
  const holder = await newCustomer(stack, { accountId, environment: kind, ...(scope && { scopes: held }) });
  for (let n = 0; limit && n < LIMIT; n++) await holder.send("GET", "/account");
  return holder;
}

const USED = "used";

/** An account whose key `USED` is used, in both environments. */
async function newAccount(): Promise<string> {
  const accountId = await stack.newAccount();
  for (const environment of ["sandbox", "live"] as const) {
    const holder = await newCustomer(stack, { accountId, environment });
    const asked = { method: "POST", path: "/orders", body: record } as const;
    expect((await ask(holder, asked, { headers: { "Idempotency-Key": USED } })).status).toBe(201);
  }
  return accountId;
}

const MISSING = "shp_mfrggzdfmztwq2lknnwg23tpoa";
const label = { shipment_id: MISSING, rate_id: `rate_test_${MISSING}` };

/** Sends POST /labels, the operation that has every step, with these faults. */
async function send(faults: Faults): Promise<string> {
  const accountId = await newAccount();
  const holder = await holderWith(faults, accountId);
  let body = JSON.stringify({ ...label, ...(faults.fields && { x: 1 }) });
  if (faults.depth) body = `{"a":${"[".repeat(40)}${"]".repeat(40)},${body.slice(1)}`;
  if (faults.json) body = `${body}}`;
  if (faults.size) body = body.padEnd(70_000);
  const answer = await holder.send("POST", `/labels${faults.route ? "/" : ""}?${faults.fields ? "y=%zz" : ""}`, {
    body,
    headers: {
      "Content-Type": faults.type ? "text/plain" : "application/json",
      "Idempotency-Key": faults.idempotencyKey ? ["a", "b"] : faults.usedKey ? USED : "fresh",
      ...(faults.key && { Authorization: `Bearer ${holder.key}x` }),
    },
  });
  return told(answer);
}

test.each(rungs)("wrong in every way from %s downwards: %s", async (rung, answer) => {
  const said = await send(faultsFrom(rung));
  expect(said.slice(0, answer.length)).toBe(answer);
});

describe("at the end of the order", () => {
  const post = (holder: Customer, path: string, body: unknown) => ask(holder, { method: "POST", path, body });

  test("404 for a missing shipment comes before its state, 422 for another's rate before both", async () => {
    const holder = await newCustomer(stack);
    const { id } = await create(holder, "/shipments", record);
    await create(holder, "/labels", { shipment_id: id, rate_id: `rate_test_${id}` });
    const answers: ApiAnswer<unknown>[] = [
      await post(holder, "/labels", { shipment_id: id, rate_id: label.rate_id }),
      await post(holder, "/labels", { shipment_id: MISSING, rate_id: `rate_test_${id}` }),
      await post(holder, "/labels", label),
      await post(holder, "/labels", { shipment_id: id, rate_id: `rate_test_${id}` }),
    ];
    expect(answers.map(told)).toEqual([
      "422 invalid_request rate_id",
      "422 invalid_request rate_id",
      "404 not_found",
      "409 label_exists",
    ]);
  });

  test.each([
    ["/labels/lbl_mfrggzdfmztwq2lknnwg23tpoa/void", {}],
    ["/rates", { shipment_id: MISSING }],
    ["/shipments", { ...record, order_id: "ord_mfrggzdfmztwq2lknnwg23tpoa" }],
  ])("POST %s: 422 for its fields before 404 for what is missing", async (path, body) => {
    const holder = await newCustomer(stack);
    expect(told(await post(holder, path, { ...body, x: 1 }))).toBe("422 invalid_request x");
    expect(told(await post(holder, path, body))).toBe("404 not_found");
  });

  test("a DELETE: 422 for its body before 409 for a used key before 422 for its query before 404", async () => {
    const holder = await newCustomer(stack, { accountId: await newAccount() });
    const path = "/webhooks/whk_mfrggzdfmztwq2lknnwg23tpoa";
    const remove = async (query: string, key: string, body?: string) =>
      told(
        await holder.send("DELETE", path + query, {
          headers: { "Idempotency-Key": key },
          ...(body !== undefined && { body }),
        }),
      );
    expect(await remove("?x=1", USED, "{}")).toBe("422 invalid_request body");
    expect(await remove("?x=1", USED)).toBe("409 idempotency_conflict");
    expect(await remove("?x=1", "fresh")).toBe("422 invalid_request x");
    expect(await remove("", "fresh")).toBe("404 not_found");
  });

  test("a GET: 404 for an unknown route before 403 before 422 for its query before 404", async () => {
    const lacking = await newCustomer(stack, { scopes: ["account:read"] });
    const holder = await newCustomer(stack);
    for (const path of ["/orders/x", "/labels/x/file", "/tracking/x"]) {
      expect(told(await lacking.send("GET", `${path}/?x=1`))).toBe("404 not_found");
      expect(told(await lacking.send("GET", `${path}?x=1`))).toBe("403 missing_scope");
      expect(told(await holder.send("GET", `${path}?x=1`))).toBe("422 invalid_request x");
      expect(told(await holder.send("GET", path))).toBe("404 not_found");
    }
  });
});
