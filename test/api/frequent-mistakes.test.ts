import type { ApiAnswer, ApiClient } from "../platform/api-client.js";
import {
  type Customer,
  createLabel,
  createOrder,
  createShipment,
  createWebhook,
  RECORD,
  usePlatform,
} from "./platform.js";

// The most frequent mistakes of integrators in other languages, at each operation. Each error says what to send instead.
const platform = usePlatform();

/** The resources that the requests of this file name: those of a sandbox, and some of its account's live environment. */
interface Known extends Record<Id, string> {
  sandbox: ApiClient;
  live: ApiClient;
}

type Id = "orderId" | "shipmentId" | "labelId" | "trackingNumber" | "liveOrderId" | "liveShipmentId" | "liveWebhookId";

const HOOK = { url: "https://hooks.example.com/", events: ["label.created"] };

async function knownTo({ sandbox, live }: Customer): Promise<Known> {
  const label = await createLabel(sandbox);
  return {
    ...{ sandbox, live, labelId: label.id, trackingNumber: label.tracking_number, shipmentId: label.shipment_id },
    orderId: (await createOrder(sandbox)).id,
    liveOrderId: (await createOrder(live)).id,
    liveShipmentId: (await createShipment(live)).id,
    liveWebhookId: (await createWebhook(live)).id,
  };
}

type Mistake = [mistake: string, ask: (at: Known) => Promise<ApiAnswer<unknown>>, told: string];

const text = "must be a string of 1 to 200 characters, not blank,";
const number = "must be a number greater than 0 and at most 1000";
const unquoted = `${number}, without quotes and with a decimal point, such as 1.5`;
const absent = "is null: leave the member out";
const unknown = "is unknown: leave it out";
const noSuch = (what: string) => `404 No such ${what}. Send`;
const object = "must be a JSON object";
const comma = "Write decimals with a point, such as 1.5.";

const post = (path: string, body: unknown) => (at: Known) => at.sandbox.post(path, body);

/** The ten mistakes in the fields that orders and shipments share. */
function inRecord(path: string): Mistake[] {
  const withTo = (change: object) => post(path, { ...RECORD, to: { ...RECORD.to, ...change } });
  const withParcel = (change: object) => post(path, { ...RECORD, parcel: { ...RECORD.parcel, ...change } });
  return [
    ["wrong type", withTo({ postal_code: 20457 }), `422 to.postal_code: ${text}`],
    ["wrong type", post(path, [RECORD]), `422 body: ${object}`],
    ["missing", post(path, { ...RECORD, parcel: undefined }), "422 parcel: is required"],
    ["null", withTo({ name: null }), "422 to.name: is required"],
    ["null", withTo({ company: null }), `422 to.company: ${absent}`],
    ["empty string", withTo({ city: "" }), `422 to.city: ${text}`],
    ["number as text", withParcel({ weight_kg: "1.5" }), `422 parcel.weight_kg: ${unquoted}`],
    ["decimal comma", withParcel({ weight_kg: "1,5" }), `422 parcel.weight_kg: ${unquoted}`],
    [
      "decimal comma",
      post(path, JSON.stringify(RECORD).replace(/"weight_kg":[\d.]+/, '"weight_kg":1,5')),
      `400 ${comma}`,
    ],
    ["wrong date", post(path, { ...RECORD, ship_date: "25.11.2026" }), `422 ship_date: ${unknown}`],
    ["unknown member", withTo({ zip: "20457" }), `422 to.zip: ${unknown}`],
    ["lower case", withTo({ country: "de" }), "422 to.country: must be a two-letter country code in upper case"],
  ];
}

/** The mistakes in a member that is the ID of another resource. */
function inId(path: string, name: string, body: (id: unknown) => object): Mistake[] {
  const sentence = `422 ${name}: must be a string of at least 1 character`;
  return [
    ["wrong type", post(path, body(5)), sentence],
    ["missing", post(path, body(undefined)), `422 ${name}: is required`],
    ["null", post(path, body(null)), `422 ${name}: is required`],
    ["empty string", post(path, body("")), sentence],
    ["number as text", post(path, body("5")), noSuch("shipment")],
    ["decimal comma", post(path, JSON.stringify(body("1")).replace('"1"', "1,5")), `400 ${comma}`],
    ["wrong date", post(path, { ...body("1"), date: "25.11.2026" }), `422 date: ${unknown}`],
    ["unknown member", post(path, { ...body("1"), shipmentId: "1" }), `422 shipmentId: ${unknown}`],
    ["wrong kind of ID", ({ sandbox, orderId }) => sandbox.post(path, body(orderId)), noSuch("shipment")],
    [
      "wrong environment",
      ({ sandbox, liveShipmentId }) => sandbox.post(path, body(liveShipmentId)),
      noSuch("shipment"),
    ],
    [
      "wrong environment",
      ({ live, liveShipmentId }) => live.post(path, body(liveShipmentId)),
      "503 Use a sandbox key.",
    ],
  ];
}

/** The mistakes in an ID in the path, and in the query beside it. */
function inPath(what: string, path: string, kind: Id, environment: Id, ask = getAt): Mistake[] {
  const refused = noSuch(what);
  const pathOf = (id: string) => path.replace(/\{\w+\}/, id);
  const query = (pairs: string) => (at: Known) => ask(at, `${pathOf("x")}?${pairs}`);
  return [
    ["wrong type", (at) => ask(at, pathOf("5")), refused],
    ["missing", (at) => ask(at, pathOf("undefined")), refused],
    ["null", (at) => ask(at, pathOf("null")), refused],
    ["unknown member", query("expand=all"), `422 expand: ${unknown}`],
    ["wrong date", query("since=25.11.2026"), `422 since: ${unknown}`],
    ["wrong kind of ID", (at) => ask(at, pathOf(at[kind])), refused],
    ["wrong environment", (at) => ask(at, pathOf(at[environment])), refused],
  ];
}

const getAt = ({ sandbox }: Known, path: string): Promise<ApiAnswer<unknown>> => sandbox.get(path);

/** The mistakes in the query of a list. */
function inList(path: string, what: string, other: Id): Mistake[] {
  const limit = "422 limit: must be an integer from 1 to 100";
  const after = `422 after: must be the next_cursor of the previous page, which is the ID of ${what}`;
  const query = (pairs: string) => (at: Known) => getAt(at, `${path}?${pairs}`);
  return [
    ["wrong type", query("limit=all"), limit],
    ["null", query("limit=null"), limit],
    ["null", query("after=null"), after],
    ["empty string", query("limit="), limit],
    ["empty string", query("after="), after],
    ["decimal comma", query("limit=2,5"), limit],
    ["wrong date", query("created_after=25.11.2026"), `422 created_after: ${unknown}`],
    ["unknown member", query("page=2"), `422 page: ${unknown}`],
    ["twice", query("limit=1&limit=2"), "422 limit: must not be repeated: send it once"],
    ["wrong kind of ID", (at) => getAt(at, `${path}?after=${at[other]}`), after],
  ];
}

const hook = (change: object) => post("/webhooks", { ...HOOK, ...change });
const labelBody = (id: unknown) => ({ shipment_id: id, rate_id: `rate_test_${id}` });
const rateBody = (id: unknown) => ({ shipment_id: id });
const voidPath = ({ labelId }: Known) => `/labels/${labelId}/void`;
const someEvents = "must be a list of";
const remove = ({ sandbox }: Known, path: string): Promise<ApiAnswer<unknown>> => sandbox.delete(path);
const empty = (at: Known, path: string): Promise<ApiAnswer<unknown>> => at.sandbox.post(path, {});

const operations: Record<string, Mistake[]> = {
  "POST /orders": [
    ...inRecord("/orders"),
    ["unknown member", post("/orders", { ...RECORD, order_id: "x" }), `422 order_id: ${unknown}`],
  ],
  "POST /shipments": [
    ...inRecord("/shipments"),
    [
      "wrong kind of ID",
      ({ sandbox, shipmentId }) => sandbox.post("/shipments", { ...RECORD, order_id: shipmentId }),
      noSuch("order"),
    ],
    [
      "wrong environment",
      ({ sandbox, liveOrderId }) => sandbox.post("/shipments", { ...RECORD, order_id: liveOrderId }),
      noSuch("order"),
    ],
  ],
  "POST /rates": inId("/rates", "shipment_id", rateBody),
  "POST /labels": [
    ...inId("/labels", "shipment_id", labelBody),
    ["wrong value", post("/labels", { ...labelBody("x"), format: "PDF" }), '422 format: must be "pdf"'],
    [
      "wrong kind of ID",
      post("/labels", { shipment_id: "x", rate_id: "x" }),
      "422 rate_id: must be the ID of a rate for this shipment, as POST /rates returns it",
    ],
    [
      "second label",
      ({ sandbox, shipmentId }) => sandbox.post("/labels", labelBody(shipmentId)),
      "409 Create a new shipment for another one.",
    ],
  ],
  "POST /labels/{id}/void": [
    ...inPath("label", "/labels/{id}/void", "shipmentId", "liveOrderId", empty),
    ["missing", (at) => at.sandbox.post(voidPath(at), ""), "400 Send the empty object {}."],
    ["wrong type", (at) => at.sandbox.post(voidPath(at), []), "422 body: must be the empty object {}"],
    ["null", (at) => at.sandbox.post(voidPath(at), null), "422 body: must be the empty object {}"],
    ["unknown member", (at) => at.sandbox.post(voidPath(at), { reason: "x" }), `422 reason: ${unknown}`],
  ],
  "POST /webhooks": [
    ["wrong type", hook({ events: "label.created" }), `422 events: ${someEvents}`],
    ["missing", hook({ events: undefined }), "422 events: is required"],
    ["null", hook({ url: null }), "422 url: is required"],
    ["null", hook({ events: null }), "422 events: is required"],
    ["empty string", hook({ url: "" }), "422 url: must be a string of at least 1 character"],
    ["empty list", hook({ events: [] }), `422 events: ${someEvents}`],
    ["number as text", hook({ events: ["1"] }), "422 events.0: must be one of order.created,"],
    ["wrong scheme", hook({ url: "ftp://hooks.example.com/" }), "422 url: must start with https://"],
    ["wrong date", hook({ expires_at: "25.11.2026" }), `422 expires_at: ${unknown}`],
    ["unknown member", hook({ secret: "x" }), `422 secret: ${unknown}`],
  ],
  "DELETE /webhooks/{id}": inPath("webhook subscription", "/webhooks/{id}", "labelId", "liveWebhookId", remove),
  "GET /orders/{id}": inPath("order", "/orders/{id}", "shipmentId", "liveOrderId"),
  "GET /shipments/{id}": inPath("shipment", "/shipments/{id}", "orderId", "liveShipmentId"),
  "GET /labels/{id}": inPath("label", "/labels/{id}", "trackingNumber", "liveOrderId"),
  "GET /labels/{id}/file": inPath("label", "/labels/{id}/file", "trackingNumber", "liveOrderId"),
  "GET /webhooks/{id}": inPath("webhook subscription", "/webhooks/{id}", "labelId", "liveWebhookId"),
  "GET /tracking/{tracking_number}": inPath("tracking number", "/tracking/{tracking_number}", "labelId", "liveOrderId"),
  "GET /orders": inList("/orders", "an order", "shipmentId"),
  "GET /shipments": inList("/shipments", "a shipment", "orderId"),
  "GET /labels": inList("/labels", "a label", "orderId"),
  "GET /webhooks": inList("/webhooks", "a webhook subscription", "orderId"),
  "GET /account": [["unknown member", (at) => getAt(at, "/account?expand=all"), `422 expand: ${unknown}`]],
};

describe.each(Object.entries(operations))("a mistake at %s is told what to send instead", (_operation, mistakes) => {
  let known: Known;
  beforeAll(async () => {
    // An account of its own, because all of them together are more than 120 requests.
    known = await knownTo(await platform.customer());
  });

  test.each(mistakes)("%s", async (_mistake, ask, told) => {
    const { status, body } = await ask(known);
    expect(`${status} ${body.error.message}`).toContain(told.slice(0, 4));
    expect(body.error.message).toContain(told.slice(4));
  });
});
