// From an order to a voided label with the client that openapi-generator makes for TypeScript and `fetch`.
import { randomUUID } from "node:crypto";
import * as api from "./client/index.ts";
import { hook, print } from "./shared.mjs";

const settings = new api.Configuration({ basePath: process.env.SHIPPING_URL, accessToken: process.env.SHIPPING_KEY });
const [orders, labels, webhooks] = [api.OrdersApi, api.LabelsApi, api.WebhooksApi].map((Api) => new Api(settings));
const key = () => ({ idempotencyKey: randomUUID() });
const address = (name) => ({ name, street1: "Königsallee 1", city: "Düsseldorf", postalCode: "40212", country: "DE" });
const packed = (name) => ({
  reference: "PO-1",
  from: address("Zoë"),
  to: address(name),
  parcel: { weightKg: 1.25, lengthCm: 30, widthCm: 20, heightCm: 10 },
  metadata: { n: [1] },
});

const { data: order } = await orders.createOrder({ ...key(), orderInput: packed("山田") });
const shipmentInput = { ...packed("山田"), orderId: order.id };
const { data: shipment } = await new api.ShipmentsApi(settings).createShipment({ ...key(), shipmentInput });
const rateInput = { shipmentId: shipment.id };
const [rate] = (await new api.RatesApi(settings).quoteRates({ ...key(), rateInput })).data;
const labelInput = { shipmentId: shipment.id, rateId: rate.id };
const { data: label } = await labels.createLabel({ ...key(), labelInput });
const file = await labels.getLabelFile({ id: label.id });
const { data: voided } = await labels.voidLabel({ ...key(), id: label.id, body: {} });
const { trackingNumber } = label;
const { data: tracking } = await new api.TrackingApi(settings).getTracking({ trackingNumber });
const page = await labels.listLabels({ limit: 1 });
const { data: subscription } = await webhooks.createSubscription({ ...key(), webhookInput: hook });
await webhooks.disableSubscription({ ...key(), id: subscription.id });
const refused = await orders.createOrder({ ...key(), orderInput: packed("\u3000") }).catch((error) => error);
const { error: refusal } = api.ModelErrorFromJSON(await refused.response.json());

await print({ label, file, voided, tracking, page, subscription, refusal });
