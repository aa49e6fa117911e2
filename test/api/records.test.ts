import { type ApiAnswer, type Order, refusal, type Shipment } from "../platform/api-client.js";
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

const made = { livemode: false, created_at: TIME };
const order = { ...made, id: idLike("ord"), object: "order", status: "received" };
const shipment = { ...made, id: idLike("shp"), object: "shipment", status: "draft" };

describe.each([
  { path: "/orders", made: order },
  { path: "/shipments", made: shipment },
])("POST $path", ({ path, made }) => {
  test.each(["sandbox", "live"] as const)(
    "201 with exactly what was sent, in %s: optional fields that were not sent are absent, not null",
    async (environment) => {
      const api = (await platform.customer())[environment];
      for (const input of [RECORD, FULL_RECORD]) {
        const { status, body } = await api.post<Order>(path, input);
        const data = { ...made, ...input, livemode: environment === "live" };
        expect([status, body]).toStrictEqual([201, { data }]);
        expect((await api.get(`${path}/${body.data.id}`)).body).toStrictEqual(body);
      }
    },
  );

  // The rules of each field are tested beside them, in `api/src/input`.
  test("422 names every field at fault at once, with its rule", async () => {
    const to = { ...RECORD.to, country: "pl", zip: "1", city: "\u0000" };
    const body = {
      reference: "",
      from: RECORD.from,
      to,
      parcel: { ...RECORD.parcel, weight_kg: 0 },
      metadata: [],
      more: 1,
    };
    const answer = await (await platform.sandbox()).post(path, body);
    expect(refusal(answer)).toBe(
      "422 invalid_request metadata more parcel.weight_kg reference to.city to.country to.zip",
    );
  });

  const longest = "😀".repeat(200);
  test.each([
    ["white space around it, and characters that look like white space", " \ufeff\u200b a\t\r\n"],
    ["characters that are seldom allowed", "\u007f\u0085\u202e\ufffd\uffff𝄞\u{10ffff}<b>&amp;'\"\\$1%s"],
    ["200 code points", longest],
  ])("201 for texts with %s, returned as sent", async (_what, text) => {
    const api = await platform.sandbox();
    const fields = "name street1 city postal_code company street2 state email phone".split(" ");
    const to = { ...Object.fromEntries(fields.map((field) => [field, text])), country: "PL" };
    const sent = { ...RECORD, reference: text, from: to, to };
    const { status, body } = await api.post<Order>(path, sent);
    expect([status, body.data]).toStrictEqual([201, { ...made, ...sent }]);
    expect((await api.get(`${path}/${body.data.id}`)).body).toStrictEqual(body);
  });

  test.each([
    ["1000", "1e3", "0.0001", "5e-324"],
    // More digits than a double has, as PHP, ABAP, .NET and Java print them: the nearest double is stored.
    ["0.10000000000000001", "67.200000000000003", "1.0000000000000001E-001", "1000.00000000000000001"],
  ])("201 for the measures %s, %s, %s and %s, returned as those numbers", async (...texts) => {
    const api = await platform.sandbox();
    const names = Object.keys(RECORD.parcel);
    const parcel = `{${names.map((name, n) => `"${name}":${texts[n]}`).join()}}`;
    const { body } = await api.post<Order>(
      path,
      JSON.stringify({ ...RECORD, parcel: 0 }).replace('"parcel":0', `"parcel":${parcel}`),
    );
    const read = await api.get<Order>(`${path}/${body.data.id}`);
    for (const { data } of [body, read.body]) expect(Object.values(data.parcel)).toEqual(texts.map(Number));
  });

  test.each([
    ["every type", '{"a":null,"b":true,"c":-1.5e-7,"d":"x","e":[],"f":{},"g":[[1],{"h":[2]}]}'],
    ["names that all objects have", '{"__proto__":{"admin":true},"constructor":1,"toJSON":"x","then":1,"":0}'],
    [
      "escapes and astral characters",
      String.raw`{"a\"b\\c":"\"\\\/\t\r\n\u00e9\u2028</script>","😀":"\ud83d\ude00 𝄞"}`,
    ],
    [
      "numbers",
      '{"n":[9007199254740991,12345678901234567168,5e-324,1.7976931348623157e308,-0.0,1E2,67.200000000000003]}',
    ],
    ["members that look like numbers", '{"b":1,"2":2,"1":3,"-1":4,"a":5}'],
    ["words of the API itself", '{"text":"x","metadata":{"id":"y"},"object":"order","data":[]}'],
    ["4096 characters", JSON.stringify({ m: "😀".repeat(4_088) })],
  ])("201 for metadata with %s, returned deep-equal", async (_what, text) => {
    const api = await platform.sandbox();
    const created = await api.post<Order>(
      path,
      JSON.stringify({ ...RECORD, metadata: 0 }).replace('"metadata":0', () => `"metadata":${text}`),
    );
    expect(created.status).toBe(201);
    const read = await api.get<Order>(`${path}/${created.body.data.id}`);
    // The text is compared: a matcher may take an own member named __proto__ for the prototype.
    for (const { bytes } of [created, read]) expect(bytes.toString()).toContain(JSON.stringify(JSON.parse(text)));
  });

  test("pages of large records end at 1 MiB, and together they are the whole list", async () => {
    const MIB = 1024 * 1024;
    const api = await platform.sandbox();
    const party = {
      ...RECORD.to,
      name: longest,
      street1: longest,
      city: longest,
      postal_code: longest,
      company: longest,
    };
    const more = { street2: longest, state: longest, email: longest, phone: longest };
    // Content that makes a record as large as the rules allow: about 33 KB.
    const large = {
      reference: longest,
      from: { ...party, ...more },
      to: { ...party, ...more },
      metadata: { a: "😀".repeat(4_000) },
    };
    const create = path === "/orders" ? createOrder : createShipment;
    const ids: string[] = [];
    for (let n = 0; n < 40; n++) ids.push((await create(api, large)).id);
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let after: string | null = ""; after !== null; ) {
      const answer: ApiAnswer<Order[]> = await api.get(`${path}?limit=100${after && `&after=${after}`}`);
      seen.push(...answer.body.data.map(({ id }) => id));
      sizes.push(answer.bytes.length);
      after = answer.body.next_cursor ?? null;
    }
    expect(seen).toEqual(ids.toSorted());
    expect(sizes).toHaveLength(2);
    // The records have 1 MiB together, and another one would not fit.
    expect(sizes[0]).toBeLessThan(MIB + 100);
    expect(sizes[0]).toBeGreaterThan(MIB - 40_000);
  });
});

describe("the order of a shipment", () => {
  test.each(["sandbox", "live"] as const)(
    "201 for an order of its environment, %s, and for several of one",
    async (environment) => {
      const api = (await platform.customer())[environment];
      const { id: order_id } = await createOrder(api);
      const parcels = [await createShipment(api, { order_id }), await createShipment(api, { order_id })];
      const data = { ...shipment, ...RECORD, order_id, livemode: environment === "live" };
      expect(parcels).toStrictEqual([data, data]);
    },
  );

  test("404 not_found if it is missing, of another account or environment, or no order", async () => {
    const { sandbox, live } = await platform.customer();
    const [foreign, elsewhere, own] = [
      await createOrder(await platform.sandbox()),
      await createOrder(live),
      await createShipment(sandbox),
    ];
    const ids = [missingId("ord"), foreign.id, elsewhere.id, own.id, "x", "ord_", "😀"];
    const answers = await Promise.all(ids.map((id) => sandbox.post("/shipments", { ...RECORD, order_id: id })));
    expect(answers.map(refusal)).toEqual(ids.map(() => "404 not_found"));
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1);
    expect((await sandbox.get<Shipment[]>("/shipments")).body.data).toEqual([own]);
  });
});

test("GET /shipments/{id} has label_created and the label's id at the first read after the label, voided after the void", async () => {
  const api = await platform.sandbox();
  const label = await createLabel(api, FULL_RECORD);
  const labelled = await api.get<Shipment>(`/shipments/${label.shipment_id}`);
  expect(labelled.body.data).toStrictEqual({
    ...shipment,
    ...FULL_RECORD,
    status: "label_created",
    label_id: label.id,
  });
  await voidLabel(api, label.id);
  const voided = await api.get<Shipment>(`/shipments/${label.shipment_id}`);
  expect(voided.body.data).toStrictEqual({ ...labelled.body.data, status: "voided" });
});
