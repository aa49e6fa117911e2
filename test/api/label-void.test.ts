import { type Label, refusal, type Shipment, type Tracking } from "../platform/api-client.js";
import { findsNothingLikeAll, refusesLikeAll } from "./every-operation.js";
import { createLabel, missingId, TIME, usePlatform, voidLabel } from "./platform.js";

const platform = usePlatform();
const missing = missingId("lbl");

describe("POST /labels/{id}/void", () => {
  test("200 with the label as it was, but voided, and when", async () => {
    const api = await platform.sandbox();
    const label = await createLabel(api);
    const { status, headers, body } = await api.post<Label>(`/labels/${label.id}/void`, {});
    expect([status, body]).toStrictEqual([200, { data: { ...label, status: "voided", voided_at: TIME } }]);
    expect(Date.parse(body.data.voided_at ?? "")).toBeGreaterThanOrEqual(Date.parse(label.created_at));
    expect(headers.has("idempotency-replayed")).toBe(false);
  });

  test("the first reads after it show the shipment and its tracking voided", async () => {
    const api = await platform.sandbox();
    const { id, shipment_id, tracking_number } = await createLabel(api);
    await voidLabel(api, id);
    const [shipment, tracking] = await Promise.all([
      api.get<Shipment>(`/shipments/${shipment_id}`),
      api.get<Tracking>(`/tracking/${tracking_number}`),
    ]);
    expect([shipment.body.data.status, tracking.body.data.status]).toEqual(["voided", "voided"]);
  });

  test("200 again, byte for byte and marked, under the same key", async () => {
    const api = await platform.sandbox();
    const { id } = await createLabel(api);
    const first = await api.post(`/labels/${id}/void`, {}, "once");
    const again = await api.post(`/labels/${id}/void`, " { } ", "once");
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
    expect(again.bytes.equals(first.bytes)).toBe(true);
  });

  test("200 under a new key with the voided label, its voided_at unchanged", async () => {
    const api = await platform.sandbox();
    const { id } = await createLabel(api);
    const voided = await voidLabel(api, id);
    const { status, headers, body } = await api.post(`/labels/${id}/void`, {});
    expect([status, body]).toEqual([200, { data: voided }]);
    expect(headers.has("idempotency-replayed")).toBe(false);
  });

  test("200 for all of five at once under five keys, with one voided_at", async () => {
    const api = await platform.sandbox();
    const { id } = await createLabel(api);
    const voided = await Promise.all(Array.from({ length: 5 }, () => voidLabel(api, id)));
    expect(new Set(voided.map((label) => label.voided_at)).size).toBe(1);
    expect((await api.get(`/labels/${id}`)).body).toEqual({ data: voided[0] });
  });

  test("409 idempotency_conflict for another label under a used key, and it stays as it is", async () => {
    const api = await platform.sandbox();
    const [first, second] = [await createLabel(api), await createLabel(api)];
    await voidLabel(api, first.id, "used");
    expect(refusal(await api.post(`/labels/${second.id}/void`, {}, "used"))).toBe("409 idempotency_conflict");
    expect((await api.get(`/labels/${second.id}`)).body.data).toEqual(second);
  });

  test("422 invalid_request for a property, and the label stays as it is", async () => {
    const api = await platform.sandbox();
    const label = await createLabel(api);
    expect(refusal(await api.post(`/labels/${label.id}/void`, { reason: "x", status: null }, "retried"))).toBe(
      "422 invalid_request reason status",
    );
    expect((await api.get(`/labels/${label.id}`)).body.data).toEqual(label);
    expect((await voidLabel(api, label.id, "retried")).status).toBe("voided");
  });

  test("404 not_found with a live key: there are no labels", async () => {
    const { live } = await platform.customer();
    expect(refusal(await live.post(`/labels/${missing}/void`, {}))).toBe("404 not_found");
  });

  test("404 not_found does not void: a foreign label stays as it is", async () => {
    const [mine, theirs] = [await platform.sandbox(), await platform.sandbox()];
    const label = await createLabel(theirs);
    expect(refusal(await mine.post(`/labels/${label.id}/void`, {}))).toBe("404 not_found");
    expect((await theirs.get(`/labels/${label.id}`)).body.data).toEqual(label);
  });

  refusesLikeAll(platform, { method: "POST", path: `/labels/${missing}/void`, scope: "labels:write", body: {} });
  findsNothingLikeAll(platform, {
    ask: (api, id) => api.post(`/labels/${id}/void`, {}),
    make: async (api) => (await createLabel(api)).id,
    missing: [missing, missingId("shp")],
  });
});
