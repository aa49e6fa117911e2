// From an order to a voided label with the client that orval makes.
import { randomUUID } from "node:crypto";
import * as api from "./client/client.ts";
import { hook, packed, print } from "./shared.mjs";

const key = () => ({ headers: { "Idempotency-Key": randomUUID() } });
const read = async (answer) => (await answer).data.data;

const order = await read(api.createOrder(packed("山田"), key()));
const shipment = await read(api.createShipment({ ...packed("山田"), order_id: order.id }, key()));
const [rate] = await read(api.quoteRates({ shipment_id: shipment.id }, key()));
const label = await read(api.createLabel({ shipment_id: shipment.id, rate_id: rate.id }, key()));
const { data: file } = await api.getLabelFile(label.id);
const voided = await read(api.voidLabel(label.id, {}, key()));
const tracking = await read(api.getTracking(label.tracking_number));
const { data: page } = await api.listLabels({ limit: 1 });
const subscription = await read(api.createSubscription(hook, key()));
await api.disableSubscription(subscription.id, key());
const refusal = (await api.createOrder(packed("\u3000"), key())).data.error;

await print({ label, file, voided, tracking, page, subscription, refusal });
