import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import {
  type Asked,
  ask,
  type Customer,
  create,
  goodRequest,
  newCustomer,
  posts,
  type Resource,
  record,
  told,
} from "./operations.js";

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
  test.each(posts)("$method $path: refusals of every step, then success under the same key", async (route) => {
    const asked = await goodRequest(customer, route);
    const json = JSON.stringify(asked.body);
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
    await expectExecuted(asked, route.status);
  });

  test("POST /shipments: 404 for a missing order, then 201", async () => {
    expect(told(await post("/shipments", { ...record, order_id: MISSING_ORDER }))).toBe("404 not_found");
    await expectExecuted({ method: "POST", path: "/shipments", body: record }, 201);
  });

  test.each([["/rates"], ["/labels"]])("POST %s: 404 for a missing shipment, then success", async (path) => {
    const [missing, shipment] = [{ id: MISSING_SHIPMENT, status: "draft" }, await shipmentOf(customer)];
    const bodyFor = (of: Resource) => (path === "/rates" ? { shipment_id: of.id } : labelBody(of));
    expect(told(await post(path, bodyFor(missing)))).toBe("404 not_found");
    await expectExecuted({ method: "POST", path, body: bodyFor(shipment) }, path === "/rates" ? 200 : 201);
  });

  test("POST /labels: 422 for another shipment's rate, 409 for a labelled and for a voided shipment, then 201", async () => {
    const [labelled, voided, draft] = [
      await shipmentOf(customer),
      await shipmentOf(customer),
      await shipmentOf(customer),
    ];
    await create(customer, "/labels", labelBody(labelled));
    const { id } = await create(customer, "/labels", labelBody(voided));
    await ask(customer, { method: "POST", path: `/labels/${id}/void`, body: {} });
    expect(told(await post("/labels", { ...labelBody(draft), rate_id: labelBody(voided).rate_id }))).toBe(
      "422 invalid_request rate_id",
    );
    expect(told(await post("/labels", labelBody(labelled)))).toBe("409 label_exists");
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

  test("a stranger's resource: 404, then success on one's own, and theirs is untouched", async () => {
    const stranger = await newCustomer(stack);
    const theirs = await create(stranger, "/labels", labelBody(await shipmentOf(stranger)));
    expect(told(await post(`/labels/${theirs.id}/void`, {}))).toBe("404 not_found");
    expect((await stranger.send("GET", `/labels/${theirs.id}`)).body.data.status).toBe("created");
    await expectExecuted({ method: "POST", path: "/orders", body: record }, 201);
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
  test("a shipment that is voided by now: the original draft", async () => {
    const first = await post("/shipments", record);
    const { id } = first.body.data;
    const label = await create(customer, "/labels", labelBody({ id, status: "draft" }));
    await ask(customer, { method: "POST", path: `/labels/${label.id}/void`, body: {} });
    expect((await customer.send("GET", `/shipments/${id}`)).body.data.status).toBe("voided");
    const again = await post("/shipments", record);
    expect([again.body.data.status, isReplayed(again), again.bytes.equals(first.bytes)]).toEqual(["draft", true, true]);
  });

  test("a label that is voided by now: the original, created; and rates of a voided shipment", async () => {
    const shipment = await shipmentOf(customer);
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
