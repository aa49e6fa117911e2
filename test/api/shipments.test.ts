import { refusal, type Shipment } from "../platform/api-client.js";
import { findsNothingLikeAll, refusesLikeAll } from "./every-operation.js";
import {
  createLabel,
  createOrder,
  createShipment,
  FULL_RECORD,
  idLike,
  missingId,
  RECORD,
  TIME,
  usePlatform,
  voidLabel,
} from "./platform.js";

const platform = usePlatform();
const missing = missingId("shp");

const made = { id: idLike("shp"), object: "shipment", status: "draft", livemode: false, created_at: TIME };

describe("POST /shipments", () => {
  test("201 with a draft of everything that was sent", async () => {
    const api = await platform.sandbox();
    const input = { ...FULL_RECORD, order_id: (await createOrder(api)).id };
    const { status, headers, body } = await api.post("/shipments", input);
    expect([status, body]).toStrictEqual([201, { data: { ...made, ...input } }]);
    expect(headers.get("content-type")).toBe("application/json");
  });

  test("201 without an order: optional fields are absent, not null", async () => {
    expect(await createShipment(await platform.sandbox())).toStrictEqual({ ...made, ...RECORD });
  });

  test("201 with a live key, for an order of the live environment", async () => {
    const { live } = await platform.customer();
    const order = await createOrder(live);
    expect(await createShipment(live, { order_id: order.id })).toStrictEqual({
      ...made,
      ...RECORD,
      order_id: order.id,
      livemode: true,
    });
  });

  test("201 for several shipments of one order", async () => {
    const api = await platform.sandbox();
    const { id } = await createOrder(api);
    const parcels = await Promise.all([1, 2, 3].map(() => createShipment(api, { order_id: id })));
    expect(parcels.map(({ order_id }) => order_id)).toEqual([id, id, id]);
    expect(new Set(parcels.map((parcel) => parcel.id)).size).toBe(3);
  });

  test("201 with the original draft in a replay after the label was voided", async () => {
    const api = await platform.sandbox();
    const first = await api.post<Shipment>("/shipments", RECORD, "once");
    const { id } = first.body.data;
    const label = await api.post<{ id: string }>("/labels", { shipment_id: id, rate_id: `rate_test_${id}` });
    await voidLabel(api, label.body.data.id);
    const again = await api.post<Shipment>("/shipments", RECORD, "once");
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    expect(again.body.data.status).toBe("draft");
  });

  test("404 not_found for an order that is missing, of another account or environment, or no order", async () => {
    const { sandbox, live } = await platform.customer();
    const foreign = await createOrder(await platform.sandbox());
    const elsewhere = await createOrder(live);
    const shipment = await createShipment(sandbox);
    const ids = [missingId("ord"), foreign.id, elsewhere.id, shipment.id, "x", "ord_", "😀"];
    const answers = await Promise.all(ids.map((id) => sandbox.post("/shipments", { ...RECORD, order_id: id })));
    expect(answers.map(refusal)).toEqual(ids.map(() => "404 not_found"));
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1);
    expect((await sandbox.get<Shipment[]>("/shipments")).body.data).toEqual([shipment]);
  });

  test("404 not_found does not reserve the key", async () => {
    const api = await platform.sandbox();
    const lost = { ...RECORD, order_id: missingId("ord") };
    expect(refusal(await api.post("/shipments", lost, "retried"))).toBe("404 not_found");
    expect((await api.post("/shipments", RECORD, "retried")).status).toBe(201);
  });

  test("404 not_found for the one of 40 at once whose order is missing, 201 for the others", async () => {
    const api = await platform.sandbox();
    const { id } = await createOrder(api);
    const orders = Array.from({ length: 40 }, (_, n) => (n === 17 ? missingId("ord") : id));
    const answers = await Promise.all(orders.map((order_id) => api.post("/shipments", { ...RECORD, order_id })));
    expect(answers.map(({ status }) => status)).toEqual(orders.map((_, n) => (n === 17 ? 404 : 201)));
  });

  test.each([null, 5, ["ord_x"], "ord_\u0000", "\ud800"])("422 invalid_request for the order_id %j", async (id) => {
    const answer = await (await platform.sandbox()).post("/shipments", { ...RECORD, order_id: id });
    expect(refusal(answer)).toBe("422 invalid_request order_id");
  });

  refusesLikeAll(platform, { method: "POST", path: "/shipments", scope: "shipments:write", body: RECORD });
});

describe("GET /shipments/{id}", () => {
  test("200 with the shipment as it was created", async () => {
    const api = await platform.sandbox();
    const { id: order_id } = await createOrder(api);
    for (const input of [RECORD, { ...FULL_RECORD, order_id }]) {
      const shipment = await createShipment(api, input);
      const { status, body } = await api.get(`/shipments/${shipment.id}`);
      expect([status, body]).toStrictEqual([200, { data: shipment }]);
    }
  });

  test("200 with label_created and the label's id at the first read after the label, with voided after the void", async () => {
    const api = await platform.sandbox();
    const label = await createLabel(api, FULL_RECORD);
    const labelled = await api.get<Shipment>(`/shipments/${label.shipment_id}`);
    expect(labelled.body.data).toStrictEqual({
      ...made,
      ...FULL_RECORD,
      status: "label_created",
      label_id: label.id,
    });
    await voidLabel(api, label.id);
    const voided = await api.get<Shipment>(`/shipments/${label.shipment_id}`);
    expect(voided.body.data).toStrictEqual({ ...labelled.body.data, status: "voided" });
  });

  refusesLikeAll(platform, { method: "GET", path: `/shipments/${missing}`, scope: "shipments:read" });
  findsNothingLikeAll(platform, {
    ask: (api, id) => api.get(`/shipments/${id}`),
    make: async (api) => (await createShipment(api)).id,
    missing: [missing, missing.toUpperCase(), missing.slice(0, -1), `${missing}a`, missingId("ord")],
  });
});

describe("GET /shipments", () => {
  refusesLikeAll(platform, { method: "GET", path: "/shipments", scope: "shipments:read" });
});
