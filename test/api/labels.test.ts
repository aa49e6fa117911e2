import { type Label, refusal, type Shipment } from "../platform/api-client.js";
import { findsNothingLikeAll, refusesLikeAll } from "./every-operation.js";
import {
  createLabel,
  createOrder,
  createShipment,
  idLike,
  labelInput,
  missingId,
  TIME,
  usePlatform,
  voidLabel,
} from "./platform.js";

const platform = usePlatform();
const missingShipment = missingId("shp");
const missing = missingId("lbl");

const newLabelOf = (shipmentId: string) => ({
  id: idLike("lbl"),
  object: "label",
  shipment_id: shipmentId,
  status: "created",
  carrier: "service_sandbox",
  tracking_number: expect.stringMatching(/^TEST[0-9A-Z]+$/),
  format: "pdf",
  download_path: expect.stringMatching(/^\/api\/v1\/labels\/lbl_[a-z2-7]{26}\/file$/),
  charge: { currency: "EUR", amount: 0 },
  test: true,
  created_at: TIME,
});

describe("POST /labels", () => {
  test("201 with exactly the label's fields, without asking for rates before", async () => {
    const api = await platform.sandbox();
    const { id } = await createShipment(api);
    const { status, headers, body } = await api.post<Label>("/labels", labelInput(id));
    expect([status, body]).toStrictEqual([201, { data: newLabelOf(id) }]);
    expect(body.data.download_path).toBe(`/api/v1/labels/${body.data.id}/file`);
    expect(headers.get("content-type")).toBe("application/json");
  });

  test("201 at the rate that POST /rates returned, with the format named", async () => {
    const api = await platform.sandbox();
    const { id } = await createShipment(api);
    const rates = await api.post<{ id: string }[]>("/rates", { shipment_id: id });
    const input = { shipment_id: id, rate_id: rates.body.data[0]?.id, format: "pdf" };
    const { status, body } = await api.post("/labels", input);
    expect([status, body]).toStrictEqual([201, { data: newLabelOf(id) }]);
  });

  test("201 with another tracking number for every label", async () => {
    const api = await platform.sandbox();
    const labels = await Promise.all(Array.from({ length: 10 }, () => createLabel(api)));
    expect(new Set(labels.map((label) => label.tracking_number)).size).toBe(10);
  });

  test("201 again with the created label, byte for byte, after it was voided", async () => {
    const api = await platform.sandbox();
    const { id } = await createShipment(api);
    const first = await api.post<Label>("/labels", labelInput(id), "once");
    await voidLabel(api, first.body.data.id);
    const again = await api.post<Label>("/labels", labelInput(id), "once");
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    expect(again.body.data).not.toHaveProperty("voided_at");
  });

  test("201 for a new shipment after the label of the first one was voided", async () => {
    const api = await platform.sandbox();
    const voided = await createLabel(api);
    await voidLabel(api, voided.id);
    expect((await createLabel(api)).status).toBe("created");
  });

  test("409 label_exists when the shipment already has a label", async () => {
    const api = await platform.sandbox();
    const label = await createLabel(api);
    expect(refusal(await api.post("/labels", labelInput(label.shipment_id)))).toBe("409 label_exists");
    expect((await api.get<Label[]>("/labels")).body.data).toEqual([label]);
  });

  test("409 label_exists for one of two at once under two keys, 201 for the other", async () => {
    const api = await platform.sandbox();
    for (let round = 0; round < 5; round++) {
      const { id } = await createShipment(api);
      const answers = await Promise.all([1, 2].map(() => api.post<Label>("/labels", labelInput(id))));
      const [won, lost] = answers.sort((a, b) => a.status - b.status);
      expect(won?.status).toBe(201);
      expect(lost && refusal(lost)).toBe("409 label_exists");
      const { data } = (await api.get<Shipment>(`/shipments/${id}`)).body;
      expect(data).toMatchObject({ status: "label_created", label_id: won?.body.data.id });
    }
    expect((await api.get<Label[]>("/labels")).body.data).toHaveLength(5);
  });

  test("409 shipment_voided for the shipment of a voided label", async () => {
    const api = await platform.sandbox();
    const { id, shipment_id } = await createLabel(api);
    await voidLabel(api, id);
    expect(refusal(await api.post("/labels", labelInput(shipment_id)))).toBe("409 shipment_voided");
  });

  test("409 does not reserve the key", async () => {
    const api = await platform.sandbox();
    const { shipment_id } = await createLabel(api);
    expect(refusal(await api.post("/labels", labelInput(shipment_id), "retried"))).toBe("409 label_exists");
    const { id } = await createShipment(api);
    expect((await api.post("/labels", labelInput(id), "retried")).status).toBe(201);
  });

  test("404 not_found for a shipment that is missing, foreign or of the other environment, at the rate of its id", async () => {
    const { sandbox, live } = await platform.customer();
    const foreign = await createShipment(await platform.sandbox());
    const labelled = await createLabel(await platform.sandbox());
    const elsewhere = await createShipment(live);
    const order = await createOrder(sandbox);
    const ids = [missingShipment, foreign.id, labelled.shipment_id, elsewhere.id, order.id, "x", "😀"];
    const answers = await Promise.all(ids.map((id) => sandbox.post("/labels", labelInput(id))));
    expect(answers.map(refusal)).toEqual(ids.map(() => "404 not_found"));
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1);
  });

  test("422 invalid_request rate_id for the rate of another shipment", async () => {
    const api = await platform.sandbox();
    const { id } = await createShipment(api);
    const own = await createShipment(api);
    const foreign = await createShipment(await platform.sandbox());
    const rates = [own.id, foreign.id, missingShipment].map((other) => `rate_test_${other}`);
    for (const rate_id of [...rates, "rate_test_", id, "x", `rate_test_${id} `, `RATE_TEST_${id}`]) {
      expect(refusal(await api.post("/labels", { shipment_id: id, rate_id }))).toBe("422 invalid_request rate_id");
    }
    expect((await api.get<Label[]>("/labels")).body.data).toEqual([]);
  });

  test.each([
    [{ format: "zpl" }, "format rate_id"],
    [{ format: "zpl", size: "A4" }, "format rate_id size"],
    [{ size: "A4" }, "rate_id size"],
    [{ shipment_id: " ", size: "A4" }, "shipment_id size"],
  ])("422 invalid_request names the rate of another shipment beside the faults of %j", async (fields, faulty) => {
    const api = await platform.sandbox();
    const { id } = await createShipment(api);
    const body = { shipment_id: id, rate_id: `rate_test_${missingShipment}`, ...fields };
    expect(refusal(await api.post("/labels", body))).toBe(`422 invalid_request ${faulty}`);
  });

  test.each([undefined, null, "", "\t", 5, {}, "a\u0000", "\udfff"])(
    "422 invalid_request for ids that are %j",
    async (id) => {
      const answer = await (await platform.sandbox()).post("/labels", { shipment_id: id, rate_id: id });
      expect(refusal(answer)).toBe("422 invalid_request rate_id shipment_id");
    },
  );

  test.each([null, "", "PDF", "png", "zpl", 5, ["pdf"]])("422 invalid_request for the format %j", async (format) => {
    const answer = await (await platform.sandbox()).post("/labels", { ...labelInput(missingShipment), format });
    expect(refusal(answer)).toBe("422 invalid_request format");
  });

  test("503 carrier_not_configured with a live key, and the shipment stays a draft", async () => {
    const { live } = await platform.customer();
    const { id } = await createShipment(live);
    for (const body of [labelInput(id), labelInput(missingShipment), "{"]) {
      const answer = await live.post("/labels", body);
      expect(refusal(answer)).toBe("503 carrier_not_configured");
      expect(answer.headers.has("retry-after")).toBe(false);
    }
    expect((await live.get<Shipment>(`/shipments/${id}`)).body.data.status).toBe("draft");
    expect((await live.get<Label[]>("/labels")).body.data).toEqual([]);
  });

  refusesLikeAll(platform, {
    method: "POST",
    path: "/labels",
    scope: "labels:write",
    body: labelInput(missingShipment),
  });
});

describe("GET /labels/{id}", () => {
  test("200 with the label as it was created", async () => {
    const api = await platform.sandbox();
    const label = await createLabel(api);
    const { status, body } = await api.get(`/labels/${label.id}`);
    expect([status, body]).toStrictEqual([200, { data: label }]);
  });

  test("200 with the voided label at the first read after the void", async () => {
    const api = await platform.sandbox();
    const { id } = await createLabel(api);
    const voided = await voidLabel(api, id);
    expect((await api.get(`/labels/${id}`)).body).toStrictEqual({ data: voided });
  });

  refusesLikeAll(platform, { method: "GET", path: `/labels/${missing}`, scope: "labels:read" });
  findsNothingLikeAll(platform, {
    ask: (api, id) => api.get(`/labels/${id}`),
    make: async (api) => (await createLabel(api)).id,
    missing: [missing, missing.toUpperCase(), missing.slice(0, -1), `${missing}a`, missingShipment],
  });
});

describe("GET /labels", () => {
  refusesLikeAll(platform, { method: "GET", path: "/labels", scope: "labels:read" });
});
