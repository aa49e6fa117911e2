import { randomUUID } from "node:crypto";
import type { Api } from "./api.js";
import { type Exchange, exchange } from "./exchange.js";
import { given } from "./judge.js";

export const EVENTS = ["order.created", "shipment.created", "label.created", "label.voided"];

/** Part of every idempotency key: the name of the run is in the records, and whoever knows the key of a subscription gets its secret. */
const UNGUESSABLE = randomUUID();

/** The bodies and idempotency keys of the fixtures, so that checks can repeat the requests. */
export function inputsFor(run: string) {
  const from = address("Conformance Sender");
  const parcel = { weight_kg: 1.5, length_cm: 30, width_cm: 20, height_cm: 10 };
  const record = { reference: run, from, to: address("Conformance Recipient"), parcel };
  const longest = (start = "") => start.padEnd(200, "x");
  const optional = ["company", "street2", "state", "email", "phone"];
  const full = Object.fromEntries([...Object.keys(from), ...optional].map((field) => [field, longest()]));
  return {
    record,
    keyOf: (what: string) => `${run}-${what}-${UNGUESSABLE}`,
    longestKey: `${run}-`.padEnd(128, "k"),
    longestRecord: {
      reference: longest(run),
      from: { ...full, country: "DE" },
      to: { ...full, country: "GB" },
      parcel: { weight_kg: 1000, length_cm: 1000, width_cm: 1000, height_cm: 1000 },
      // {"note":"…"} adds eleven characters to the value.
      metadata: { note: "n".repeat(4096 - 11) },
    },
    webhookPath: `/${run}`,
  };
}

function address(name: string) {
  return { name, street1: "1 Test Lane", city: "Hamburg", postal_code: "20457", country: "DE" };
}

export type Inputs = ReturnType<typeof inputsFor>;

export type Fixtures<Watched> = ReturnType<typeof createFixtures<Watched>>;

/** Resources that many checks use. Each is created once, when a check first needs it. */
export function createFixtures<Watched>(baseUrl: string, api: Api, inputs: Inputs, watch: () => Promise<Watched>) {
  const { record, keyOf } = inputs;
  const readId = async (fixture: () => Promise<Exchange>) => given(await fixture()).id as string;
  const shipmentFor = (what: string) =>
    once(async () => api.post("/shipments", { ...record, order_id: await readId(order) }, keyOf(what)));

  const order = once(async () => {
    await api.post("/orders", { ...record, parcel: null }, keyOf("order"));
    return api.post("/orders", record, keyOf("order"));
  });
  const shipment = shipmentFor("shipment");
  const otherShipment = shipmentFor("other-shipment");
  const rates = once(async () => api.post("/rates", { shipment_id: await readId(shipment) }, keyOf("rates")));
  const label = once(async () => {
    const rate = given(await rates())[0];
    return api.post("/labels", { shipment_id: rate?.shipment_id, rate_id: rate?.id }, keyOf("label"));
  });
  const file = once(async () => api.get(`/labels/${await readId(label)}/file`));
  const voided = once(async () => {
    await file();
    return api.post(`/labels/${await readId(label)}/void`, {}, keyOf("void"));
  });
  const labelFor = async (shipmentId: string) => {
    const rate = given(await rates())[0];
    return api.post("/labels", { shipment_id: shipmentId, rate_id: rate?.id });
  };
  const subscription = once(() =>
    api.post(
      "/webhooks",
      // No label is voided while it is active, so it receives no events.
      { url: `https://example.com${inputs.webhookPath}`, events: ["label.voided"] },
      keyOf("subscription"),
    ),
  );
  return {
    account: once(() => api.get("/account")),
    /** The description of the API. It is not an operation, so the rules for responses of operations do not apply to it. */
    description: once(() => exchange(baseUrl, { method: "GET", path: "/openapi.json" })),
    /** The response to an idempotency key whose first use was refused. */
    order,
    /** An order with the maximum length and value of every field, and an idempotency key of 128 characters. */
    fullOrder: once(() => api.post("/orders", inputs.longestRecord, inputs.longestKey)),
    shipment,
    /** Another parcel of the same order. */
    otherShipment,
    rates,
    label,
    /** The label's file, before the label is voided. */
    file,
    /** A second label for the shipment. */
    secondLabel: once(async () => labelFor(given(await label()).shipment_id)),
    /** A label for the other shipment with the rate of the first. */
    labelWithForeignRate: once(async () => labelFor(await readId(otherShipment))),
    voided,
    voidedFile: once(async () => api.get(`/labels/${await readId(voided)}/file`)),
    voidedTracking: once(async () => api.get(`/tracking/${given(await voided()).tracking_number}`)),
    /** A new label for the shipment of the voided one. */
    replacement: once(async () => labelFor(given(await voided()).shipment_id)),
    subscription,
    disabled: once(async () => api.delete(`/webhooks/${await readId(subscription)}`, keyOf("disable"))),
    /** The deliveries for another order, shipment, label and void. */
    deliveries: once(watch),
  };
}

/** Calls `make` at most once. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
