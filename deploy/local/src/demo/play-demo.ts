import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { EVENT_TYPES } from "@shipping/proto/event-types";
import type { Label, Shipping } from "shipping-client";
import { beginDemo, type DemoStage, type DemoSteps } from "./demo-steps.js";

/** Whom the demo is played as, and where. */
export interface Demo extends DemoStage {
  key: string;
  liveKey: string;
  /** Where the label's PDF is saved. */
  labelFile: string;
}

/** Plays the main steps and the refusals that matter; throws at the first wrong step. Returns the number of steps. */
export async function playDemo(demo: Demo): Promise<number> {
  const steps = beginDemo(demo);
  const shipping = steps.as(demo.key);
  const subscriptionId = await subscribe(steps, shipping, demo);
  const made = await orderToLabel(steps, shipping, demo);
  await repeat(steps, shipping, made);
  await voidLabel(steps, shipping, made);
  await refuseElsewhere(steps, demo, made);
  steps.title("Unsubscribe");
  await shipping.webhooks.disable(subscriptionId);
  steps.check(demo.receiver.refused === 0, "every delivery has a valid signature");
  return steps.count;
}

// A program of your own keeps them with its order, from before the first attempt.
const SHIPMENT_KEY = randomUUID();
const LABEL_KEY = randomUUID();

interface Made {
  orderId: string;
  label: Label;
}

async function subscribe(steps: DemoSteps, shipping: Shipping, { receiver }: Demo): Promise<string> {
  steps.title("Read the account and subscribe to its events");
  await shipping.account.get();
  const { id, secret } = await shipping.webhooks.create({
    url: receiver.url,
    events: [...EVENT_TYPES],
  });
  receiver.trust(secret);
  return id;
}

async function orderToLabel(steps: DemoSteps, shipping: Shipping, { labelFile, say }: Demo): Promise<Made> {
  steps.title("From an order to a label");
  let since = performance.now();
  const order = await shipping.orders.create(ORDER);
  await steps.event("order.created", order.id, since);

  since = performance.now();
  const shipment = await shipping.shipments.create({ ...ORDER, order_id: order.id }, { idempotencyKey: SHIPMENT_KEY });
  await steps.event("shipment.created", shipment.id, since);

  const [rate] = await shipping.rates.create({ shipment_id: shipment.id });
  since = performance.now();
  const wanted = { shipment_id: shipment.id, rate_id: rate?.id ?? "" };
  const label = await shipping.labels.create(wanted, { idempotencyKey: LABEL_KEY });
  const labelled = await shipping.shipments.get(shipment.id);
  steps.check(labelled.status === "label_created", "the first read after the label shows label_created");
  const tracked = await shipping.tracking.get(label.tracking_number);
  steps.check(tracked.status === "pre_transit", "the first read after the label shows pre_transit");
  await steps.event("label.created", label.id, since);

  const file = await shipping.labels.file(label.id);
  steps.check(Buffer.from(file).subarray(0, 5).toString() === "%PDF-", "the file is a PDF");
  await writeFile(labelFile, file);
  say(`         saved as ${labelFile}`);
  return { orderId: order.id, label };
}

async function repeat(steps: DemoSteps, shipping: Shipping, { label }: Made): Promise<void> {
  steps.title("Repeated, changed and invalid requests");
  const wanted = { shipment_id: label.shipment_id, rate_id: `rate_test_${label.shipment_id}` };
  const { labels } = shipping;
  const again = await labels.create(wanted, { idempotencyKey: LABEL_KEY }).withResponse();
  steps.check(again.response.replayed, "the repeated request is marked as replayed");
  steps.check(isDeepStrictEqual(again.data, label), "the repeated request returns the original response");
  const changed = labels.create({ ...wanted, format: "pdf" }, { idempotencyKey: LABEL_KEY });
  await steps.refused(changed, 409, "idempotency_conflict");
  await steps.refused(labels.create(wanted), 409, "label_exists");
  const weightless = { ...ORDER, parcel: { ...ORDER.parcel, weight_kg: 0 } };
  await steps.refused(shipping.shipments.create(weightless), 422, "invalid_request");
}

async function voidLabel(steps: DemoSteps, shipping: Shipping, { orderId, label }: Made): Promise<void> {
  steps.title("Void");
  const since = performance.now();
  await shipping.labels.void(label.id);
  const shipment = await shipping.shipments.get(label.shipment_id);
  steps.check(shipment.status === "voided", "the first read after the void shows voided");
  const tracked = await shipping.tracking.get(label.tracking_number);
  steps.check(tracked.status === "voided", "the first read after the void shows voided");
  await steps.event("label.voided", label.id, since);
  await steps.refused(shipping.labels.file(label.id), 409, "label_voided");
  const original = await shipping.shipments.create({ ...ORDER, order_id: orderId }, { idempotencyKey: SHIPMENT_KEY });
  steps.check(original.status === "draft", "a replay returns the original response");
}

async function refuseElsewhere(steps: DemoSteps, { liveKey }: Demo, { label }: Made): Promise<void> {
  steps.title("Live keys, other accounts and unknown resources");
  const live = steps.as(liveKey);
  await steps.refused(live.rates.create({ shipment_id: label.shipment_id }), 503, "carrier_not_configured");
  await steps.refused(live.shipments.get(label.shipment_id), 404, "not_found");
  await steps.refused(steps.as("service_test_nobody").account.get(), 401, "unauthorized");
}

const ORDER = {
  reference: "Order 1001",
  from: { name: "Warehouse Nord", street1: "Hafenstraße 12", city: "Hamburg", postal_code: "20457", country: "DE" },
  to: {
    name: "Zofia Wójcik",
    company: "Księgarnia Pod Lipą",
    street1: "ul. Długa 7/3",
    city: "Kraków",
    postal_code: "31-147",
    country: "PL",
  },
  parcel: { weight_kg: 1.25, length_cm: 30, width_cm: 20, height_cm: 12 },
  metadata: { warehouse: "north", lines: 2 },
};
