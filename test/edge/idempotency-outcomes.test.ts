import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { type Asked, ask, type Customer, create, newCustomer, type Resource, record, told } from "./operations.js";

let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
});
beforeEach(async () => {
  customer = await newCustomer(stack);
});
afterAll(() => stack.stop());

const KEY = "the key";
const post = (path: string, body: unknown, holder = customer) => under({ method: "POST", path, body }, holder);
const under = (asked: Asked, holder = customer) => ask(holder, asked, { headers: { "Idempotency-Key": KEY } });
const isReplayed = ({ headers }: ApiAnswer<unknown>) => headers.get("idempotency-replayed") === "true";

const shipmentOf = (holder: Customer) => create(holder, "/shipments", record);
const labelBody = ({ id }: Resource) => ({ shipment_id: id, rate_id: `rate_test_${id}` });
const webhook = { url: "http://127.0.0.1:9/hook", events: ["label.voided"] };
const MISSING_ORDER = "ord_mfrggzdfmztwq2lknnwg23tpoa";
const MISSING_SHIPMENT = "shp_mfrggzdfmztwq2lknnwg23tpoa";

/** Asserts that a request with the key is executed now, and replayed afterwards. */
async function expectExecuted(asked: Asked, status: number): Promise<void> {
  const first = await under(asked);
  expect([told(first), isReplayed(first)]).toEqual([String(status), false]);
  const again = await under(asked);
  expect([again.status, isReplayed(again), again.bytes.equals(first.bytes)]).toEqual([status, true, true]);
}

describe("a failed operation does not reserve the key", () => {
  test("refusals of every step, then success under the same key", async () => {
    const asked: Asked = { method: "POST", path: "/orders", body: record };
    const json = JSON.stringify(record);
    const headers = { "Idempotency-Key": KEY };
    const refused = [
      await ask(customer, asked, { headers: { ...headers, "Content-Type": "text/plain" } }),
      await ask(customer, asked, { headers, body: json.padEnd(65_537) }),
      await ask(customer, asked, { headers, body: json.slice(1) }),
      await ask(customer, asked, { headers, body: '{"x":1}' }),
      await ask(customer, { ...asked, path: `${asked.path}?x=1` }, { headers }),
      await ask(customer, asked, { headers, body: "[".repeat(33) + "]".repeat(33) }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([415, 413, 400, 422, 422, 422]);
    await expectExecuted(asked, 201);
  });

  test("POST /shipments: 404 for a missing order, then 201", async () => {
    expect(told(await post("/shipments", { ...record, order_id: MISSING_ORDER }))).toBe("404 not_found");
    await expectExecuted({ method: "POST", path: "/shipments", body: record }, 201);
  });

  test("POST /labels: 422 for another shipment's rate, 409 for a voided shipment, then 201", async () => {
    const [voided, draft] = [await shipmentOf(customer), await shipmentOf(customer)];
    const { id } = await create(customer, "/labels", labelBody(voided));
    await ask(customer, { method: "POST", path: `/labels/${id}/void`, body: {} });
    expect(told(await post("/labels", { ...labelBody(draft), rate_id: labelBody(voided).rate_id }))).toBe(
      "422 invalid_request rate_id",
    );
    expect(told(await post("/labels", labelBody(voided)))).toBe("409 shipment_voided");
    await expectExecuted({ method: "POST", path: "/labels", body: labelBody(draft) }, 201);
  });

  test("POST /webhooks: 422 for a refused url, 409 for the eleventh, then 201 for the same request once there is room", async () => {
    const created = [];
    for (let n = 0; n < 10; n++) created.push(await create(customer, "/webhooks", webhook));
    expect(told(await post("/webhooks", { ...webhook, url: "https://user@example.com/" }))).toBe(
      "422 invalid_request url",
    );
    expect(told(await post("/webhooks", webhook))).toBe("409 webhook_limit_reached");
    await ask(customer, { method: "DELETE", path: `/webhooks/${created[0]?.id}` });
    await expectExecuted({ method: "POST", path: "/webhooks", body: webhook }, 201);
  });

  test("POST /labels/{id}/void and DELETE /webhooks/{id}: 404, then 200", async () => {
    const label = await create(customer, "/labels", labelBody(await shipmentOf(customer)));
    expect(told(await post(`/labels/${label.id.replace("_", "_x")}/void`, {}))).toBe("404 not_found");
    expect(told(await under({ method: "DELETE", path: "/webhooks/whk_mfrggzdfmztwq2lknnwg23tpoa" }))).toBe(
      "404 not_found",
    );
    await expectExecuted({ method: "POST", path: `/labels/${label.id}/void`, body: {} }, 200);
  });

  test("503 carrier_not_configured for a live key, then 201 for an order under the same key", async () => {
    const live = await newCustomer(stack, { environment: "live" });
    for (const path of ["/rates", "/labels"]) {
      const answer = await post(path, { shipment_id: MISSING_SHIPMENT }, live);
      expect([told(answer), answer.headers.has("retry-after")]).toEqual(["503 carrier_not_configured", false]);
    }
    expect(told(await post("/orders", record, live))).toBe("201");
  });
});

describe("a replay returns the original, whatever has become of the resource", () => {
  test("a shipment and a label that are voided by now: the original draft, and created; and rates of that shipment", async () => {
    const draft = await ask(
      customer,
      { method: "POST", path: "/shipments", body: record },
      { headers: { "Idempotency-Key": "for the shipment" } },
    );
    const shipment = draft.body.data;
    const headers = { "Idempotency-Key": "for rates" };
    const rates = { method: "POST", path: "/rates", body: { shipment_id: shipment.id } } as const;
    const quoted = await ask(customer, rates, { headers });
    const first = await post("/labels", labelBody(shipment));
    await ask(customer, { method: "POST", path: `/labels/${first.body.data.id}/void`, body: {} });
    const again = await post("/labels", labelBody(shipment));
    expect([again.body.data.status, isReplayed(again), again.bytes.equals(first.bytes)]).toEqual([
      "created",
      true,
      true,
    ]);
    expect((await ask(customer, rates, { headers })).bytes).toEqual(quoted.bytes);
    const same = await ask(
      customer,
      { method: "POST", path: "/shipments", body: record },
      { headers: { "Idempotency-Key": "for the shipment" } },
    );
    expect([same.body.data.status, isReplayed(same), same.bytes.equals(draft.bytes)]).toEqual(["draft", true, true]);
  });

  test("a subscription that is deleted by now: active, with the same secret", async () => {
    const first = await post("/webhooks", webhook);
    const { id, secret } = first.body.data;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await ask(customer, { method: "DELETE", path: `/webhooks/${id}` });
    const again = await post("/webhooks", webhook);
    expect([again.body.data, isReplayed(again), again.bytes.equals(first.bytes)]).toEqual([
      expect.objectContaining({ status: "active", secret }),
      true,
      true,
    ]);
    expect((await customer.send("GET", `/webhooks/${id}`)).body.data).not.toHaveProperty("secret");
  });

  test("a void and a deletion: the times of the first, also when a new key repeats them", async () => {
    const label = await create(customer, "/labels", labelBody(await shipmentOf(customer)));
    const subscription = await create(customer, "/webhooks", webhook);
    for (const asked of [
      { method: "POST", path: `/labels/${label.id}/void`, body: {} },
      { method: "DELETE", path: `/webhooks/${subscription.id}` },
    ] as const) {
      const key = { headers: { "Idempotency-Key": `first ${asked.path}` } };
      const first = await ask(customer, asked, key);
      const withNewKey = await ask(customer, asked);
      expect([withNewKey.status, isReplayed(withNewKey), withNewKey.bytes.equals(first.bytes)]).toEqual([
        200,
        false,
        true,
      ]);
      expect((await ask(customer, asked, key)).bytes).toEqual(first.bytes);
    }
  });
});

test("an unknown route neither reserves nor replays a key", async () => {
  expect(told(await post("/orders/", record))).toBe("404 not_found");
  await expectExecuted({ method: "POST", path: "/orders", body: record }, 201);
  expect(told(await post("/orders/", record))).toBe("404 not_found");
});
