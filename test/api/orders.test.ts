import { type Order, refusal } from "../platform/api-client.js";
import { findsNothingLikeAll, refusesLikeAll } from "./every-operation.js";
import { createOrder, createShipment, FULL_RECORD, idLike, missingId, RECORD, TIME, usePlatform } from "./platform.js";

const platform = usePlatform();
const missing = missingId("ord");

const made = { id: idLike("ord"), object: "order", status: "received", livemode: false, created_at: TIME };

describe("POST /orders", () => {
  test("201 with the order as received", async () => {
    const { status, headers, body } = await (await platform.sandbox()).post("/orders", FULL_RECORD);
    expect([status, body]).toEqual([201, { data: { ...made, ...FULL_RECORD } }]);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("x-request-id")).toMatch(/\S/);
    expect(headers.has("idempotency-replayed")).toBe(false);
  });

  test("201 without what was not sent: optional fields are absent, not null", async () => {
    const { body } = await (await platform.sandbox()).post("/orders", RECORD);
    expect(body).toStrictEqual({ data: { ...made, ...RECORD } });
  });

  test("201 with a live key, as livemode", async () => {
    const order = await createOrder((await platform.customer()).live);
    expect(order).toStrictEqual({ ...made, ...RECORD, livemode: true });
  });

  test("201 twice for one reference under two keys: a reference does not deduplicate", async () => {
    const api = await platform.sandbox();
    const [first, second] = [await createOrder(api), await createOrder(api)];
    expect(first.reference).toBe(second.reference);
    expect(first.id).not.toBe(second.id);
  });

  test("201 again, byte for byte and marked, for the same content under the same key", async () => {
    const api = await platform.sandbox();
    const first = await api.post("/orders", FULL_RECORD, "once");
    const reordered = JSON.stringify(Object.fromEntries(Object.entries(FULL_RECORD).reverse()), null, 2);
    const again = await api.post("/orders", reordered, "once");
    expect(again.status).toBe(201);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    expect((await api.get<Order[]>("/orders")).body.data).toHaveLength(1);
  });

  test("201 under one key in both environments, and for two accounts: keys are theirs", async () => {
    const { sandbox, live } = await platform.customer();
    const other = await platform.sandbox();
    const answers = await Promise.all([sandbox, live, other].map((api) => api.post<Order>("/orders", RECORD, "one")));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(3);
  });

  test("201 under a key whose first request was refused", async () => {
    const api = await platform.sandbox();
    expect(refusal(await api.post("/orders", {}, "retried"))).toBe("422 invalid_request from parcel reference to");
    expect((await api.post("/orders", RECORD, "retried")).status).toBe(201);
  });

  test("409 idempotency_conflict for one number more, and nothing is created", async () => {
    const api = await platform.sandbox();
    await api.post("/orders", RECORD, "used");
    const changed = { ...RECORD, parcel: { ...RECORD.parcel, weight_kg: 1.26 } };
    expect(refusal(await api.post("/orders", changed, "used"))).toBe("409 idempotency_conflict");
    expect(refusal(await api.post("/shipments", RECORD, "used"))).toBe("409 idempotency_conflict");
    expect((await api.get<Order[]>("/orders")).body.data).toHaveLength(1);
    expect((await api.get<Order[]>("/shipments")).body.data).toEqual([]);
  });

  test("422 invalid_request for an order_id, even of an order that exists", async () => {
    const api = await platform.sandbox();
    const { id } = await createOrder(api);
    expect(refusal(await api.post("/orders", { ...RECORD, order_id: id }))).toBe("422 invalid_request order_id");
  });

  refusesLikeAll(platform, { method: "POST", path: "/orders", scope: "orders:write", body: RECORD });
});

describe("GET /orders/{id}", () => {
  test("200 with the order as it was created", async () => {
    const api = await platform.sandbox();
    for (const input of [RECORD, FULL_RECORD]) {
      const order = await createOrder(api, input);
      const { status, body } = await api.get(`/orders/${order.id}`);
      expect([status, body]).toStrictEqual([200, { data: order }]);
    }
  });

  test("404 not_found for a shipment's id", async () => {
    const api = await platform.sandbox();
    const { id } = await createShipment(api);
    expect(refusal(await api.get(`/orders/${id}`))).toBe("404 not_found");
  });

  refusesLikeAll(platform, { method: "GET", path: `/orders/${missing}`, scope: "orders:read" });
  findsNothingLikeAll(platform, {
    ask: (api, id) => api.get(`/orders/${id}`),
    make: async (api) => (await createOrder(api)).id,
    missing: [missing, missing.toUpperCase(), missing.slice(0, -1), `${missing}a`, missingId("shp")],
  });
});

describe("GET /orders", () => {
  refusesLikeAll(platform, { method: "GET", path: "/orders", scope: "orders:read" });
});
