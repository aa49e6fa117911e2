import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { EVENT_TYPES } from "@shipping/proto/event-types";
import { type Label, Shipping, ShippingError, type WebhookEvent } from "shipping-client";
import type { Receiver } from "../listen/receiver.js";

export interface Demo {
  baseUrl: string;
  receiver: Receiver;
  say(line: string): void;
  key: string;
  liveKey: string;
  /** The file to which the label's PDF is saved. */
  labelFile: string;
}

/** Plays the main steps and the refusals that matter, and throws at the first wrong step. Returns the number of steps. */
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

// Your program stores its keys with the order, before the first attempt.
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

type DemoSteps = ReturnType<typeof beginDemo>;

/** The steps of a demonstration: each is executed, printed as a line and checked. */
function beginDemo({ baseUrl, receiver, say }: Demo) {
  let count = 0;

  async function tell(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const start = performance.now();
    const response = await fetch(input, init);
    const found = await seenIn(response.clone());
    const path = shorten(String(input).slice(baseUrl.length));
    const took = time(performance.now() - start);
    say(`  ${String(init?.method).padEnd(6)} ${path.padEnd(32)} ${response.status} ${took}   ${found}`);
    count++;
    return response;
  }

  return {
    get count() {
      return count;
    },
    title: (text: string) => say(`\n${text}`),
    /** Calls the API as the holder of a key; each request prints a line. */
    as: (apiKey: string) => new Shipping({ apiKey, baseUrl, fetch: tell }),
    async refused(call: Promise<unknown>, status: number, code: string) {
      const outcome = await call.catch((error: unknown) => error);
      const isRefused = outcome instanceof ShippingError && outcome.status === status && outcome.code === code;
      check(isRefused, `expected a refusal with ${status} ${code}`);
    },
    /** Waits for the signed event about a resource. `since` is when it was asked for. */
    async event(type: WebhookEvent["type"], resourceId: string, since: number) {
      const event = await receiver.waitFor((one) => one.type === type && one.data.id === resourceId);
      const after = time(event.arrivedMs - since);
      say(`  event  ${type.padEnd(32)} ok  ${after}   ${event.id}  signature verified`);
      count++;
    },
    check,
  };
}

function check(holds: boolean, promise: string): void {
  if (!holds) throw new Error(promise);
}

async function seenIn(response: Response): Promise<string> {
  if (response.headers.get("content-type") === "application/pdf")
    return `PDF, ${(await response.arrayBuffer()).byteLength} bytes`;
  const { data, error } = JSON.parse(await response.text());
  if (error) return error.code;
  if (response.headers.has("idempotency-replayed")) return "Idempotency-Replayed: true";
  const { id, status, name, environment, service, amount, currency } = [data].flat()[0];
  return [id, status, name, environment, service, amount, currency].filter(Boolean).join("  ");
}

function shorten(path: string): string {
  return path.replace(/([a-z]{3}_[a-z2-7]{4}|TEST\d{4})[a-z2-7]{16,}/g, "$1…");
}

function time(ms: number): string {
  return `${ms.toFixed(1).padStart(7)} ms`;
}
