// From an order to a voided label with the client that openapi-generator makes for TypeScript and axios.
import { randomUUID as key } from "node:crypto";
import * as api from "./client/index.ts";
import { hook, packed, print } from "./shared.mjs";

const settings = new api.Configuration({ basePath: process.env.SHIPPING_URL, accessToken: process.env.SHIPPING_KEY });
const [orders, labels, webhooks] = [api.OrdersApi, api.LabelsApi, api.WebhooksApi].map((Api) => new Api(settings));
const shipments = new api.ShipmentsApi(settings);
const read = async (answer) => (await answer).data.data;

const order = await read(orders.createOrder(key(), packed("山田")));
const shipment = await read(shipments.createShipment(key(), { ...packed("山田"), order_id: order.id }));
const [rate] = await read(new api.RatesApi(settings).quoteRates(key(), { shipment_id: shipment.id }));
const label = await read(labels.createLabel(key(), { shipment_id: shipment.id, rate_id: rate.id }));
const { data: file } = await labels.getLabelFile(label.id, { responseType: "arraybuffer" });
const voided = await read(labels.voidLabel(label.id, key(), {}));
const tracking = await read(new api.TrackingApi(settings).getTracking(label.tracking_number));
const { data: page } = await labels.listLabels(1);
const subscription = await read(webhooks.createSubscription(key(), hook));
await webhooks.disableSubscription(subscription.id, key());
const refused = await orders.createOrder(key(), packed("\u3000")).catch((error) => error);
const refusal = refused.response.data.error;

await print({ label, file, voided, tracking, page, subscription, refusal });
