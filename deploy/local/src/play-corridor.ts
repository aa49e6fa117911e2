import { writeFile } from "node:fs/promises";
import type { ApiAnswer } from "./api-caller.js";
import { beginDemo, type DemoCall, type DemoStage, type DemoSteps } from "./demo-steps.js";

/** Whom the corridor is played as, and where. */
export interface Corridor extends DemoStage {
  liveKey: string;
  /** Distinguishes the idempotency keys of this run. */
  run: string;
  /** Where the label's PDF is saved. */
  labelFile: string;
}

/** Plays the main job and the refusals that matter; throws at the first step that is not as it should be. Answers the number of steps. */
export async function playCorridor(corridor: Corridor): Promise<number> {
  const steps = beginDemo(corridor);
  const post = (path: string, body: unknown, key: string): DemoCall => ({
    method: "POST",
    path,
    body,
    idempotencyKey: `${corridor.run}-${key}`,
  });
  const subscription = await subscribe(steps, corridor, post);
  const made = await orderToLabel(steps, corridor, post);
  await repeat(steps, made, post);
  await voidLabel(steps, made, post);
  await refuseElsewhere(steps, corridor, made, post);
  await unsubscribe(steps, corridor, subscription);
  return steps.count;
}

type Post = (path: string, body: unknown, key: string) => DemoCall;

interface Made {
  shipmentBody: object;
  shipmentId: string;
  labelBody: object;
  label: ApiAnswer;
  labelId: string;
  tracking: string;
}

const get = (path: string): DemoCall => ({ method: "GET", path });

async function subscribe(steps: DemoSteps, { receiver }: Corridor, post: Post): Promise<string> {
  steps.title("An account, and a subscription to its events");
  await steps.call(get("/account"), 200, ({ json }) => `${json.data.name}, ${json.data.environment}`);
  const events = ["order.created", "shipment.created", "label.created", "label.voided"];
  const { json } = await steps.call(post("/webhooks", { url: receiver.url, events }, "webhook"), 201);
  receiver.trust(json.data.secret);
  return json.data.id;
}

async function orderToLabel(steps: DemoSteps, { labelFile, say }: Corridor, post: Post): Promise<Made> {
  steps.title("From an order to a label");
  let since = performance.now();
  const order = await steps.call(post("/orders", ORDER, "order"), 201);
  await steps.event("order.created", order.json.data.id, since);

  since = performance.now();
  const shipmentBody = { ...ORDER, order_id: order.json.data.id };
  const shipment = await steps.call(post("/shipments", shipmentBody, "shipment"), 201);
  const shipmentId: string = shipment.json.data.id;
  await steps.event("shipment.created", shipmentId, since);

  const rates = await steps.call(post("/rates", { shipment_id: shipmentId }, "rates"), 200, ({ json }) => {
    const [rate] = json.data;
    return `${rate.service} ${rate.amount.toFixed(2)} ${rate.currency}`;
  });
  since = performance.now();
  const labelBody = { shipment_id: shipmentId, rate_id: rates.json.data[0].id };
  const label = await steps.call(post("/labels", labelBody, "label"), 201);
  const { id: labelId, tracking_number: tracking } = label.json.data;
  const labelled = await steps.call(get(`/shipments/${shipmentId}`), 200);
  steps.check(labelled.json.data.status === "label_created", "the first read after the label shows label_created");
  const tracked = await steps.call(get(`/tracking/${tracking}`), 200);
  steps.check(tracked.json.data.status === "pre_transit", "the first read after the label shows pre_transit");
  await steps.event("label.created", labelId, since);

  const file = await steps.call(get(`/labels/${labelId}/file`), 200, ({ bytes }) => `PDF, ${bytes.length} bytes`);
  steps.check(file.bytes.subarray(0, 5).toString() === "%PDF-", "the file is a PDF");
  await writeFile(labelFile, file.bytes);
  say(`         saved as ${labelFile}`);
  return { shipmentBody, shipmentId, labelBody, label, labelId, tracking };
}

async function repeat(steps: DemoSteps, made: Made, post: Post): Promise<void> {
  steps.title("Sent twice, changed, or not as it should be");
  const again = await steps.call(
    post("/labels", made.labelBody, "label"),
    201,
    ({ headers }) => `Idempotency-Replayed: ${headers.get("idempotency-replayed")}`,
  );
  steps.check(again.headers.get("idempotency-replayed") === "true", "the repetition is marked as replayed");
  steps.check(again.bytes.equals(made.label.bytes), "the repetition has the very bytes of the first answer");
  const changed = { ...made.labelBody, format: "pdf" };
  await steps.refused(post("/labels", changed, "label"), 409, "idempotency_conflict");
  await steps.refused(post("/labels", made.labelBody, "label-2"), 409, "label_exists");
  await steps.refused(post("/shipments", { ...ORDER, parcel: null }, "bad"), 422, "invalid_request");
}

async function voidLabel(steps: DemoSteps, made: Made, post: Post): Promise<void> {
  steps.title("Void");
  const since = performance.now();
  await steps.call(post(`/labels/${made.labelId}/void`, {}, "void"), 200);
  const shipment = await steps.call(get(`/shipments/${made.shipmentId}`), 200);
  steps.check(shipment.json.data.status === "voided", "the first read after the void shows voided");
  const tracked = await steps.call(get(`/tracking/${made.tracking}`), 200);
  steps.check(tracked.json.data.status === "voided", "the first read after the void shows voided");
  await steps.event("label.voided", made.labelId, since);
  await steps.refused(get(`/labels/${made.labelId}/file`), 409, "label_voided");
  const original = await steps.call(post("/shipments", made.shipmentBody, "shipment"), 201);
  steps.check(original.json.data.status === "draft", "a replay answers what was answered first");
}

async function refuseElsewhere(steps: DemoSteps, { liveKey }: Corridor, made: Made, post: Post): Promise<void> {
  steps.title("Live, foreign, unknown");
  const live = { ...post("/rates", { shipment_id: made.shipmentId }, "live"), key: liveKey };
  await steps.refused(live, 503, "carrier_not_configured");
  await steps.refused({ ...get(`/shipments/${made.shipmentId}`), key: liveKey }, 404, "not_found");
  await steps.refused({ ...get("/account"), key: "service_test_nobody" }, 401, "unauthorized");
}

async function unsubscribe(steps: DemoSteps, { receiver, run }: Corridor, id: string): Promise<void> {
  steps.title("Unsubscribe");
  await steps.call({ method: "DELETE", path: `/webhooks/${id}`, idempotencyKey: `${run}-delete` }, 200);
  steps.check(receiver.refused === 0, "every delivery was signed properly");
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
