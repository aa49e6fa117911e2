import { type Label, refusal, type Shipment, type Tracking } from "../platform/api-client.js";
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
const missing = missingId("shp");

/** A request whose body names a shipment. */
const naming = [
  { path: "/rates", body: (id: string) => ({ shipment_id: id }) },
  { path: "/labels", body: labelInput },
];

describe.each(naming)("POST $path", ({ path, body }) => {
  test("404 not_found for a shipment that is missing, foreign, of the other environment, or none", async () => {
    const { sandbox, live } = await platform.customer();
    const stranger = await platform.sandbox();
    const foreign = [(await createShipment(stranger)).id, (await createLabel(stranger)).shipment_id];
    const elsewhere = [(await createShipment(live)).id, (await createOrder(sandbox)).id];
    const ids = [missing, ...foreign, ...elsewhere, "x", "shp_%00", "😀"];
    const answers = await Promise.all(ids.map((id) => sandbox.post(path, body(id))));
    expect(answers.map(refusal)).toEqual(ids.map(() => "404 not_found"));
    expect(new Set(answers.map((answer) => answer.body.error.message)).size).toBe(1);
    expect((await sandbox.get<Label[]>("/labels")).body.data).toEqual([]);
  });

  test("503 carrier_not_configured with a live key, whatever the body is, and the shipment stays a draft", async () => {
    const { live } = await platform.customer();
    const { id } = await createShipment(live);
    for (const sent of [body(id), body(missing), "{"]) {
      const answer = await live.post(path, sent);
      expect(refusal(answer)).toBe("503 carrier_not_configured");
      expect(answer.headers.has("retry-after")).toBe(false);
    }
    expect((await live.get<Shipment>(`/shipments/${id}`)).body.data.status).toBe("draft");
    expect((await live.get<Label[]>("/labels")).body.data).toEqual([]);
  });
});

test("POST /rates answers the same rate in every state of the shipment", async () => {
  const api = await platform.sandbox();
  const { id } = await createShipment(api);
  const ask = () => api.post("/rates", { shipment_id: id });
  const answers = [await ask()];
  const label = await api.post<Label>("/labels", labelInput(id));
  answers.push(await ask());
  await voidLabel(api, label.body.data.id);
  answers.push(await ask());
  const rate = {
    ...{ id: `rate_test_${id}`, object: "rate", shipment_id: id, carrier: "service_sandbox" },
    ...{ service: "sandbox_standard", currency: "EUR", amount: 5, test: true },
  };
  for (const { status, body } of answers) expect([status, body]).toStrictEqual([200, { data: [rate] }]);
});

describe("POST /labels", () => {
  test.each([{}, { format: "pdf" }])(
    "201 with exactly the label's fields, without asking for rates before: %j",
    async (format) => {
      const api = await platform.sandbox();
      const { id } = await createShipment(api);
      const { status, body } = await api.post<Label>("/labels", { ...labelInput(id), ...format });
      const label = {
        ...{ id: idLike("lbl"), object: "label", shipment_id: id, status: "created", carrier: "service_sandbox" },
        ...{ tracking_number: expect.stringMatching(/^TEST[0-9A-Z]+$/), format: "pdf" },
        ...{ download_path: `/api/v1/labels/${body.data.id}/file`, charge: { currency: "EUR", amount: 0 }, test: true },
        created_at: TIME,
      };
      expect([status, body]).toStrictEqual([201, { data: label }]);
    },
  );

  test("201 with another tracking number for every label", async () => {
    const api = await platform.sandbox();
    const labels = await Promise.all(Array.from({ length: 10 }, () => createLabel(api)));
    expect(new Set(labels.map((label) => label.tracking_number)).size).toBe(10);
  });

  test("422 invalid_request rate_id for the rate of another shipment", async () => {
    const api = await platform.sandbox();
    const { id } = await createShipment(api);
    const [own, foreign] = [await createShipment(api), await createShipment(await platform.sandbox())];
    const rates = [own.id, foreign.id, missing].map((other) => `rate_test_${other}`);
    for (const rate_id of [...rates, "rate_test_", id, "x", `rate_test_${id} `, `RATE_TEST_${id}`]) {
      expect(refusal(await api.post("/labels", { shipment_id: id, rate_id }))).toBe("422 invalid_request rate_id");
    }
    expect((await api.get<Label[]>("/labels")).body.data).toEqual([]);
  });

  test.each([
    [{ format: "zpl", size: "A4" }, "format rate_id size"],
    [{ shipment_id: " ", size: "A4" }, "shipment_id size"],
  ])("422 invalid_request names the rate of another shipment beside the faults of %j", async (fields, faulty) => {
    const api = await platform.sandbox();
    const { id } = await createShipment(api);
    const body = { shipment_id: id, rate_id: `rate_test_${missing}`, ...fields };
    expect(refusal(await api.post("/labels", body))).toBe(`422 invalid_request ${faulty}`);
  });
});

describe("POST /labels/{id}/void", () => {
  test("200 with the label as it was, but voided, and when; every later read shows it", async () => {
    const api = await platform.sandbox();
    const label = await createLabel(api);
    const { status, body } = await api.post<Label>(`/labels/${label.id}/void`, {});
    expect([status, body]).toStrictEqual([200, { data: { ...label, status: "voided", voided_at: TIME } }]);
    expect(Date.parse(body.data.voided_at ?? "")).toBeGreaterThanOrEqual(Date.parse(label.created_at));
    expect((await api.get(`/labels/${label.id}`)).body).toStrictEqual(body);
  });

  test("a refused void leaves the label as it is, and its key free: a property, a used key, a stranger's key", async () => {
    const [api, stranger] = [await platform.sandbox(), await platform.sandbox()];
    const [label, other] = [await createLabel(api), await createLabel(api)];
    await voidLabel(api, other.id, "used");
    const path = `/labels/${label.id}/void`;
    expect(refusal(await api.post(path, { reason: "x", status: null }, "kept"))).toBe(
      "422 invalid_request reason status",
    );
    expect(refusal(await api.post(path, {}, "used"))).toBe("409 idempotency_conflict");
    expect(refusal(await stranger.post(path, {}))).toBe("404 not_found");
    expect((await api.get(`/labels/${label.id}`)).body.data).toEqual(label);
    expect((await voidLabel(api, label.id, "kept")).status).toBe("voided");
  });
});

describe("GET /tracking/{tracking_number}", () => {
  test("200 with pre_transit at the first read after the label, with voided at the first after the void", async () => {
    const api = await platform.sandbox();
    const label = await createLabel(api);
    const { id: label_id, shipment_id, tracking_number, created_at } = label;
    const path = `/tracking/${tracking_number}`;
    const record = {
      ...{
        id: tracking_number,
        object: "tracking",
        tracking_number,
        status: "pre_transit",
        carrier: "service_sandbox",
      },
      ...{ label_id, shipment_id, events: [], test: true, created_at, updated_at: created_at },
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

  test("404 not_found for the ids of the label and its shipment, and for another spelling of the number", async () => {
    const api = await platform.sandbox();
    const { id, shipment_id, tracking_number } = await createLabel(api);
    for (const other of [id, shipment_id, tracking_number.toLowerCase(), tracking_number.slice(0, -1)]) {
      expect(refusal(await api.get(`/tracking/${other}`))).toBe("404 not_found");
    }
  });
});
