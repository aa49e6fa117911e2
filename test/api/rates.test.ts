import { type Rate, refusal } from "../platform/api-client.js";
import { refusesLikeAll } from "./every-operation.js";
import { createLabel, createOrder, createShipment, missingId, usePlatform, voidLabel } from "./platform.js";

const platform = usePlatform();
const missing = missingId("shp");

const rateOf = (shipmentId: string) => ({
  id: `rate_test_${shipmentId}`,
  object: "rate",
  shipment_id: shipmentId,
  carrier: "service_sandbox",
  service: "sandbox_standard",
  currency: "EUR",
  amount: 5,
  test: true,
});

describe("POST /rates", () => {
  test("200 with the fixed sandbox rate", async () => {
    const api = await platform.sandbox();
    const { id } = await createShipment(api);
    const { status, headers, body } = await api.post("/rates", { shipment_id: id });
    expect([status, body]).toStrictEqual([200, { data: [rateOf(id)] }]);
    expect(headers.get("content-type")).toBe("application/json");
  });

  test("200 in every state of the shipment", async () => {
    const api = await platform.sandbox();
    const { id, shipment_id } = await createLabel(api);
    const labelled = await api.post("/rates", { shipment_id });
    await voidLabel(api, id);
    const voided = await api.post("/rates", { shipment_id });
    for (const { status, body } of [labelled, voided]) {
      expect([status, body]).toEqual([200, { data: [rateOf(shipment_id)] }]);
    }
  });

  test("200 again, byte for byte and marked, under the same key", async () => {
    const api = await platform.sandbox();
    const { id } = await createShipment(api);
    const first = await api.post<Rate[]>("/rates", { shipment_id: id }, "once");
    const again = await api.post<Rate[]>("/rates", { shipment_id: id }, "once");
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
    expect(again.bytes.equals(first.bytes)).toBe(true);
  });

  test("404 not_found for a shipment that is missing, foreign, of the other environment, or none", async () => {
    const { sandbox, live } = await platform.customer();
    const foreign = await createShipment(await platform.sandbox());
    const elsewhere = await createShipment(live);
    const order = await createOrder(sandbox);
    const ids = [missing, foreign.id, elsewhere.id, order.id, "x", "shp_%00", "😀"];
    const answers = await Promise.all(ids.map((id) => sandbox.post("/rates", { shipment_id: id })));
    expect(answers.map(refusal)).toEqual(ids.map(() => "404 not_found"));
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1);
  });

  test.each([undefined, null, "", " ", 5, ["x"], "shp_\u0000", "\ud800"])(
    "422 invalid_request for the shipment_id %j",
    async (id) => {
      const answer = await (await platform.sandbox()).post("/rates", { shipment_id: id });
      expect(refusal(answer)).toBe("422 invalid_request shipment_id");
    },
  );

  test("503 carrier_not_configured with a live key, for a shipment of its own too, and whatever the body is", async () => {
    const { live } = await platform.customer();
    const { id } = await createShipment(live);
    for (const body of [{ shipment_id: id }, { shipment_id: missing }, "{"]) {
      const answer = await live.post("/rates", body);
      expect(refusal(answer)).toBe("503 carrier_not_configured");
      expect(answer.headers.has("retry-after")).toBe(false);
    }
  });

  test("422 before the 503 with a live key, without an Idempotency-Key", async () => {
    const { live } = await platform.customer();
    expect(refusal(await live.send({ method: "POST", path: "/rates" }))).toBe("422 invalid_request Idempotency-Key");
  });

  refusesLikeAll(platform, { method: "POST", path: "/rates", scope: "rates:read", body: { shipment_id: missing } });
});
