// From an order to a voided label with the client that @hey-api/openapi-ts makes, with answers checked by its zod plugin.
import { randomUUID } from "node:crypto";
import { client } from "./client/client.gen.ts";
import * as api from "./client/sdk.gen.ts";
import { hook, packed, print } from "./shared.mjs";

client.setConfig({ baseUrl: process.env.SHIPPING_URL, auth: () => process.env.SHIPPING_KEY, throwOnError: true });
const headers = () => ({ "Idempotency-Key": randomUUID() });
const write = async (operation, options) => (await operation({ headers: headers(), ...options })).data.data;

const order = await write(api.createOrder, { body: packed("山田") });
const shipment = await write(api.createShipment, { body: { ...packed("山田"), order_id: order.id } });
const [rate] = await write(api.quoteRates, { body: { shipment_id: shipment.id } });
const label = await write(api.createLabel, { body: { shipment_id: shipment.id, rate_id: rate.id } });
const { data: file } = await api.getLabelFile({ path: { id: label.id } });
const voided = await write(api.voidLabel, { path: { id: label.id }, body: {} });
const {
  data: { data: tracking },
} = await api.getTracking({ path: { tracking_number: label.tracking_number } });
const { data: page } = await api.listLabels({ query: { limit: 1 } });
const subscription = await write(api.createSubscription, { body: hook });
await write(api.disableSubscription, { path: { id: subscription.id } });
const { error: refusal } = await write(api.createOrder, { body: packed("\u3000") }).catch((error) => error);

await print({ label, file, voided, tracking, page, subscription, refusal });
