// From an order to a voided label with the client that @hey-api/openapi-ts makes, with answers checked by its zod plugin.
import { randomUUID } from "node:crypto";
import { client } from "./client/client.gen.ts";
import * as api from "./client/sdk.gen.ts";

client.setConfig({ baseUrl: process.env.SHIPPING_URL, auth: () => process.env.SHIPPING_KEY, throwOnError: true });
const headers = () => ({ "Idempotency-Key": randomUUID() });
const address = (name) => ({ name, street1: "Königsallee 1", city: "Düsseldorf", postal_code: "40212", country: "DE" });
const packed = (name) => ({
  reference: "PO-1",
  from: address("Zoë"),
  to: address(name),
  parcel: { weight_kg: 1.25, length_cm: 30, width_cm: 20, height_cm: 10 },
  metadata: { n: [1] },
});
const write = async (operation, options) => (await operation({ headers: headers(), ...options })).data.data;

const order = await write(api.createOrder, { body: packed("山田") });
const shipment = await write(api.createShipment, { body: { ...packed("山田"), order_id: order.id } });
const [rate] = await write(api.quoteRates, { body: { shipment_id: shipment.id } });
const label = await write(api.createLabel, { body: { shipment_id: shipment.id, rate_id: rate.id } });
const { data: file } = await api.getLabelFile({ path: { id: label.id } });
const voided = await write(api.voidLabel, { path: { id: label.id }, body: {} });
const { data: tracking } = await api.getTracking({ path: { tracking_number: label.tracking_number } });
const { data: page } = await api.listLabels({ query: { limit: 1 } });
const subscription = await write(api.createSubscription, {
  body: { url: "https://hooks.example.com/labels", events: ["label.created"] },
});
await write(api.disableSubscription, { path: { id: subscription.id } });
const refused = await write(api.createOrder, { body: packed("\u3000") }).catch((error) => error);

console.log(
  JSON.stringify({
    label: label.id,
    pdf: (await file.text()).slice(0, 5),
    status: voided.status,
    tracking: tracking.data.status,
    listed: page.data[0].id === label.id,
    secret: subscription.secret.startsWith("whsec_"),
    refusal: refused.error.code,
    fields: refused.error.fields.map(({ path }) => path),
  }),
);
