import { refusal, type Tracking } from "../platform/api-client.js";
import { findsNothingLikeAll, refusesLikeAll } from "./every-operation.js";
import { createLabel, usePlatform, voidLabel } from "./platform.js";

const platform = usePlatform();
const missing = "TEST00000000000000000000";

describe("GET /tracking/{tracking_number}", () => {
  test("200 with pre_transit at the first read after the label, with voided at the first after the void", async () => {
    const api = await platform.sandbox();
    const label = await createLabel(api);
    const path = `/tracking/${label.tracking_number}`;
    const record = {
      id: label.tracking_number,
      object: "tracking",
      tracking_number: label.tracking_number,
      status: "pre_transit",
      carrier: "service_sandbox",
      label_id: label.id,
      shipment_id: label.shipment_id,
      events: [],
      test: true,
      created_at: label.created_at,
      updated_at: label.created_at,
    };
    const { status, body } = await api.get<Tracking>(path);
    expect([status, body]).toStrictEqual([200, { data: record }]);

    const { voided_at } = await voidLabel(api, label.id);
    const voided = await api.get<Tracking>(path);
    expect(voided.body).toStrictEqual({ data: { ...record, status: "voided", updated_at: voided_at } });
    // A second void changes nothing.
    await voidLabel(api, label.id);
    expect((await api.get<Tracking>(path)).body).toEqual(voided.body);
  });

  test("404 not_found with a live key: there are no labels", async () => {
    expect(refusal(await (await platform.customer()).live.get(`/tracking/${missing}`))).toBe("404 not_found");
  });

  test("404 not_found for the ids of the label and its shipment", async () => {
    const api = await platform.sandbox();
    const { id, shipment_id, tracking_number } = await createLabel(api);
    for (const other of [id, shipment_id, tracking_number.toLowerCase(), tracking_number.slice(0, -1)]) {
      expect(refusal(await api.get(`/tracking/${other}`))).toBe("404 not_found");
    }
  });

  test.each(["1Z999AA10123456784", "RR123456789DE", "42-0099"])(
    "404 not_found for %s, after a search",
    async (number) => {
      const { body } = await (await platform.sandbox()).get(`/tracking/${number}`);
      expect(body).toMatchObject({
        error: {
          code: "not_found",
          message: "No such tracking number. Send that of a label in the account and environment of your API key.",
        },
      });
    },
  );

  refusesLikeAll(platform, { method: "GET", path: `/tracking/${missing}`, scope: "shipments:read" });
  findsNothingLikeAll(platform, {
    ask: (api, id) => api.get(`/tracking/${id}`),
    make: async (api) => (await createLabel(api)).tracking_number,
    missing: [missing, "TEST", "1Z999AA10123456784"],
  });
});
