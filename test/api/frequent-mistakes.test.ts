import type { ApiAnswer, ApiClient } from "../platform/api-client.js";
import {
  createLabel,
  createOrder,
  createShipment,
  createWebhook,
  EVENTS,
  labelInput,
  RECORD,
  usePlatform,
} from "./platform.js";

// The most frequent mistakes of integrators in other languages, one of each kind. Each error says what to send instead. `api/src/input` tests the
// sentences of every field.
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
  known = {
    ...{ sandbox, live, label, shipment, order: (await createOrder(sandbox)).id },
    liveOrder: (await createOrder(live)).id,
    liveShipment: (await createShipment(live)).id,
    liveWebhook: (await createWebhook(live)).id,
  };
});

const weighing = (text: string) => JSON.stringify(RECORD).replace(/"weight_kg":[\d.]+/, `"weight_kg":${text}`);
const measure =
  "must be a number greater than 0 and at most 1000, without quotes and with a decimal point, such as 1.5";
const rate = "must be the ID of a rate for this shipment, as POST /rates returns it";
const cursor = "must be the next_cursor of the previous page, which is the ID of an order";

test.each<[told: string, ask: (at: Known) => Promise<ApiAnswer<unknown>>]>([
  // Numbers and bodies.
  [`422 parcel.weight_kg: ${measure}`, ({ sandbox }) => sandbox.post("/shipments", weighing('"1,5"'))],
  ["400 Write decimals with a point, such as 1.5.", ({ sandbox }) => sandbox.post("/orders", weighing("1,5"))],
  ["400 Send the empty object {}.", ({ sandbox, label }) => sandbox.post(`/labels/${label}/void`, "")],
  // IDs of another resource or of the other environment, in bodies, paths and queries.
  ["404 No such order. Send", ({ sandbox, shipment: order_id }) => sandbox.post("/shipments", { ...RECORD, order_id })],
  [
    "404 No such order. Send",
    ({ sandbox, liveOrder: order_id }) => sandbox.post("/shipments", { ...RECORD, order_id }),
  ],
  ["404 No such shipment. Send", ({ sandbox, order: shipment_id }) => sandbox.post("/rates", { shipment_id })],
  ["404 No such shipment. Send", ({ sandbox, liveShipment }) => sandbox.post("/labels", labelInput(liveShipment))],
  ["404 No such order. Send", ({ sandbox }) => sandbox.get("/orders/undefined")],
  ["404 No such shipment. Send", ({ sandbox, order }) => sandbox.get(`/shipments/${order}`)],
  ["404 No such label. Send", ({ sandbox, shipment }) => sandbox.get(`/labels/${shipment}/file`)],
  ["404 No such tracking number. Send", ({ sandbox }) => sandbox.get("/tracking/RR123456789DE")],
  ["404 No such webhook subscription. Send", ({ sandbox, liveWebhook }) => sandbox.delete(`/webhooks/${liveWebhook}`)],
  [`422 after: ${cursor}`, ({ sandbox, shipment }) => sandbox.get(`/orders?after=${shipment}`)],
  // The schema cannot find these mistakes, because they depend on stored resources.
  ["503 Use a sandbox key.", ({ live, liveShipment: shipment_id }) => live.post("/rates", { shipment_id })],
  [`422 rate_id: ${rate}`, ({ sandbox, shipment: id }) => sandbox.post("/labels", { shipment_id: id, rate_id: id })],
  [
    "409 The shipment already has the label lbl_",
    ({ sandbox, shipment }) => sandbox.post("/labels", labelInput(shipment)),
  ],
  [
    "422 url: must start with https://",
    ({ sandbox }) => sandbox.post("/webhooks", { url: "ftp://a.example/", events: EVENTS }),
  ],
  ["422 limit: must not be repeated: send it once", ({ sandbox }) => sandbox.get("/shipments?limit=1&limit=2")],
])("%s", async (told, ask) => {
  const { status, body } = await ask(known);
  expect(`${status} ${body.error.message}`).toContain(told.slice(0, 4));
  expect(body.error.message).toContain(told.slice(4));
});
