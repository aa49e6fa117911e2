import type { ApiAnswer, ApiClient } from "../platform/api-client.js";
import {
  createLabel,
  createOrder,
  createShipment,
  createWebhook,
  labelInput,
  RECORD,
  usePlatform,
} from "./platform.js";

// The most frequent mistakes of integrators in other languages, one request for each kind. Each error says what to send instead.
// `gateway/src/input` tests the sentences of every field.
const platform = usePlatform();

/** The resources that the requests name: those of a sandbox, and some of its account's live environment. */
interface Known {
  sandbox: ApiClient;
  live: ApiClient;
  order: string;
  shipment: string;
  label: string;
  liveOrder: string;
  liveShipment: string;
  liveWebhook: string;
}

let known: Known;
beforeAll(async () => {
  const { sandbox, live } = await platform.customer();
  const { id: label, shipment_id: shipment } = await createLabel(sandbox);
  const [liveOrder, liveShipment, liveWebhook] = [
    await createOrder(live),
    await createShipment(live),
    await createWebhook(live),
  ].map(({ id }) => id) as [string, string, string];
  known = {
    sandbox,
    live,
    label,
    shipment,
    order: (await createOrder(sandbox)).id,
    liveOrder,
    liveShipment,
    liveWebhook,
  };
});

type Ask = (at: Known) => Promise<ApiAnswer<unknown>>;

const get =
  (path: (at: Known) => string): Ask =>
  (at) =>
    at.sandbox.get(path(at));
const post =
  (path: string, body: (at: Known) => unknown): Ask =>
  (at) =>
    at.sandbox.post(path, body(at));
const withTo = (change: object) => post("/orders", () => ({ ...RECORD, to: { ...RECORD.to, ...change } }));
const withWeight = (text: string) =>
  post("/shipments", () => JSON.stringify(RECORD).replace(/"weight_kg":[\d.]+/, `"weight_kg":${text}`));
const hook = (change: object) =>
  post("/webhooks", () => ({ url: "https://a.example/", events: ["label.created"], ...change }));
const voiding =
  (body: unknown): Ask =>
  (at) =>
    at.sandbox.post(`/labels/${at.label}/void`, body);

const unquoted =
  "must be a number greater than 0 and at most 1000, without quotes and with a decimal point, such as 1.5";
const unknown = "is unknown: leave it out";
const cursor = "must be the next_cursor of the previous page, which is the ID of";

test.each<[mistake: string, told: string, ask: Ask]>([
  [
    "a number for a text",
    "422 to.postal_code: must be a string of 1 to 200 characters, not blank,",
    withTo({ postal_code: 20457 }),
  ],
  ["a list of records", "422 body: must be a JSON object", post("/orders", () => [RECORD])],
  ["a missing object", "422 parcel: is required", post("/shipments", () => ({ ...RECORD, parcel: undefined }))],
  ["null for a required text", "422 to.name: is required", withTo({ name: null })],
  ["null for an optional text", "422 to.company: is null: leave the member out", withTo({ company: null })],
  ["a number as text", `422 parcel.weight_kg: ${unquoted}`, withWeight('"1.5"')],
  ["a decimal comma as text", `422 parcel.weight_kg: ${unquoted}`, withWeight('"1,5"')],
  ["a decimal comma", "400 Write decimals with a point, such as 1.5.", withWeight("1,5")],
  ["another name for a member", `422 to.zip: ${unknown}`, withTo({ zip: "20457" })],
  [
    "a country in small letters",
    "422 to.country: must be a two-letter country code in upper case",
    withTo({ country: "de" }),
  ],
  [
    "the order of an order",
    `422 order_id: ${unknown}`,
    post("/orders", ({ order }) => ({ ...RECORD, order_id: order })),
  ],
  [
    "a shipment for an order",
    "404 No such order. Send",
    post("/shipments", ({ shipment }) => ({ ...RECORD, order_id: shipment })),
  ],
  [
    "an order of live",
    "404 No such order. Send",
    post("/shipments", ({ liveOrder }) => ({ ...RECORD, order_id: liveOrder })),
  ],
  ["an order for a shipment", "404 No such shipment. Send", post("/rates", ({ order }) => ({ shipment_id: order }))],
  ["a shipment of live", "404 No such shipment. Send", post("/labels", ({ liveShipment }) => labelInput(liveShipment))],
  [
    "a number for an ID",
    "422 shipment_id: must be a string of at least 1 character",
    post("/rates", () => ({ shipment_id: 5 })),
  ],
  [
    "a live key",
    "503 Use a sandbox key.",
    ({ live, liveShipment }) => live.post("/rates", { shipment_id: liveShipment }),
  ],
  ["a format in capitals", '422 format: must be "pdf"', post("/labels", () => ({ ...labelInput("x"), format: "PDF" }))],
  [
    "a shipment for a rate",
    "422 rate_id: must be the ID of a rate for this shipment, as POST /rates returns it",
    post("/labels", ({ shipment }) => ({ shipment_id: shipment, rate_id: shipment })),
  ],
  [
    "a second label",
    "409 Create a new shipment for another one.",
    post("/labels", ({ shipment }) => labelInput(shipment)),
  ],
  ["no body", "400 Send the empty object {}.", voiding("")],
  ["a body of null", "422 body: must be the empty object {}", voiding(null)],
  ["a reason", `422 reason: ${unknown}`, voiding({ reason: "x" })],
  ["one event", "422 events: must be a list of", hook({ events: "label.created" })],
  ["no event", "422 events: must be a list of", hook({ events: [] })],
  ["an unknown event", "422 events.0: must be one of order.created,", hook({ events: ["1"] })],
  ["another scheme", "422 url: must start with https://", hook({ url: "ftp://a.example/" })],
  ["a secret of one's own", `422 secret: ${unknown}`, hook({ secret: "x" })],
  ["a text for a limit", "422 limit: must be an integer from 1 to 100", get(() => "/orders?limit=all")],
  ["an empty limit", "422 limit: must be an integer from 1 to 100", get(() => "/labels?limit=")],
  ["a parameter twice", "422 limit: must not be repeated: send it once", get(() => "/shipments?limit=1&limit=2")],
  ["the number of a page", `422 page: ${unknown}`, get(() => "/webhooks?page=2")],
  [
    "the cursor of another list: orders",
    `422 after: ${cursor} an order`,
    get(({ shipment }) => `/orders?after=${shipment}`),
  ],
  [
    "the cursor of another list: shipments",
    `422 after: ${cursor} a shipment`,
    get(({ order }) => `/shipments?after=${order}`),
  ],
  ["the cursor of another list: labels", `422 after: ${cursor} a label`, get(({ order }) => `/labels?after=${order}`)],
  [
    "the cursor of another list: webhooks",
    `422 after: ${cursor} a webhook subscription`,
    get(({ order }) => `/webhooks?after=${order}`),
  ],
  ["a parameter", `422 expand: ${unknown}`, get(({ order }) => `/orders/${order}?expand=all`)],
  ["another order", "404 No such order. Send", get(() => "/orders/undefined")],
  ["another shipment", "404 No such shipment. Send", get(({ order }) => `/shipments/${order}`)],
  ["another label", "404 No such label. Send", get(({ shipment }) => `/labels/${shipment}/file`)],
  ["another tracking number", "404 No such tracking number. Send", get(() => "/tracking/RR123456789DE")],
  [
    "another subscription",
    "404 No such webhook subscription. Send",
    ({ sandbox, liveWebhook }) => sandbox.delete(`/webhooks/${liveWebhook}`),
  ],
])("%s: %s", async (_mistake, told, ask) => {
  const { status, body } = await ask(known);
  expect(`${status} ${body.error.message}`).toContain(told.slice(0, 4));
  expect(body.error.message).toContain(told.slice(4));
});
