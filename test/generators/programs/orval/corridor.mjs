// From an order to a voided label with the client that orval makes.
import { randomUUID } from "node:crypto";
import * as api from "./client/client.ts";

const key = () => ({ headers: { "Idempotency-Key": randomUUID() } });
const address = (name) => ({ name, street1: "Königsallee 1", city: "Düsseldorf", postal_code: "40212", country: "DE" });
const packed = (name) => ({
  reference: "PO-1",
  from: address("Zoë"),
  to: address(name),
  parcel: { weight_kg: 1.25, length_cm: 30, width_cm: 20, height_cm: 10 },
  metadata: { n: [1] },
});
const read = async (answer) => (await answer).data.data;

const order = await read(api.createOrder(packed("山田"), key()));
const shipment = await read(api.createShipment({ ...packed("山田"), order_id: order.id }, key()));
const [rate] = await read(api.quoteRates({ shipment_id: shipment.id }, key()));
const label = await read(api.createLabel({ shipment_id: shipment.id, rate_id: rate.id }, key()));
const { data: file } = await api.getLabelFile(label.id);
const voided = await read(api.voidLabel(label.id, {}, key()));
const tracking = await read(api.getTracking(label.tracking_number));
const { data: page } = await api.listLabels({ limit: 1 });
const hook = { url: "https://hooks.example.com/labels", events: ["label.created"] };
const subscription = await read(api.createSubscription(hook, key()));
await api.disableSubscription(subscription.id, key());
const refusal = (await api.createOrder(packed("\u3000"), key())).data.error;

console.log(
  JSON.stringify({
    label: label.id,
    pdf: (await file.text()).slice(0, 5),
    status: voided.status,
    tracking: tracking.status,
    listed: page.data[0].id === label.id,
    secret: subscription.secret.startsWith("whsec_"),
    refusal: refusal.code,
    fields: refusal.fields.map(({ path }) => path),
  }),
);
