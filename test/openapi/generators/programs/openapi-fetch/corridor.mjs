// From an order to a voided label with openapi-fetch, whose types openapi-typescript makes.
import { randomUUID } from "node:crypto";
import createClient from "openapi-fetch";
import { hook, packed, print } from "./shared.mjs";

const client = createClient({
  baseUrl: process.env.SHIPPING_URL,
  headers: { Authorization: `Bearer ${process.env.SHIPPING_KEY}` },
});
const read = (path, params, options = {}) => client.GET(path, { params, ...options });
const params = (others) => ({ header: { "Idempotency-Key": randomUUID() }, ...others });
const write = (path, body, others) => client.POST(path, { body, params: params(others) });
const data = async (answer) => (await answer).data.data;

const order = await data(write("/orders", packed("山田")));
const shipment = await data(write("/shipments", { ...packed("山田"), order_id: order.id }));
const [rate] = await data(write("/rates", { shipment_id: shipment.id }));
const label = await data(write("/labels", { shipment_id: shipment.id, rate_id: rate.id }));
const { id, tracking_number } = label;
const { data: file } = await read("/labels/{id}/file", { path: { id } }, { parseAs: "arrayBuffer" });
const voided = await data(write("/labels/{id}/void", {}, { path: { id } }));
const tracking = await data(read("/tracking/{tracking_number}", { path: { tracking_number } }));
const { data: page } = await read("/labels", { query: { limit: 1 } });
const subscription = await data(write("/webhooks", hook));
await client.DELETE("/webhooks/{id}", { params: params({ path: { id: subscription.id } }) });
const refusal = (await write("/orders", packed("\u3000"))).error.error;

await print({ label, file, voided, tracking, page, subscription, refusal });
