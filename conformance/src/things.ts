import type { Api } from "./api.js";
import type { Exchange } from "./exchange.js";
import { given } from "./judge.js";
import type { Plans } from "./plans.js";
import type { Watched } from "./watch-deliveries.js";

/** What many checks look at: each is made once, when the first of them asks. */
export interface Things {
  account(): Promise<Exchange>;
  /** POST /orders, with a key whose first use was refused. */
  order(): Promise<Exchange>;
  /** An order that uses every bound to the full, with an idempotency key of 128 characters. */
  fullOrder(): Promise<Exchange>;
  shipment(): Promise<Exchange>;
  /** Another parcel of the same order. */
  otherShipment(): Promise<Exchange>;
  rates(): Promise<Exchange>;
  label(): Promise<Exchange>;
  /** The label's file, before anything was voided. */
  file(): Promise<Exchange>;
  /** A second label for the shipment. */
  secondLabel(): Promise<Exchange>;
  /** A label for the other shipment with the rate of the first. */
  labelWithForeignRate(): Promise<Exchange>;
  voided(): Promise<Exchange>;
  voidedFile(): Promise<Exchange>;
  voidedTracking(): Promise<Exchange>;
  /** A new label for the shipment of the voided one. */
  replacement(): Promise<Exchange>;
  subscription(): Promise<Exchange>;
  disabled(): Promise<Exchange>;
  /** What a listener was sent about a life of its own: an order, a shipment, a label and its end. */
  deliveries(): Promise<Watched>;
}

/** Makes them as the holder of the key that is judged. */
export function thingsOf(api: Api, plans: Plans, watch: () => Promise<Watched>): Things {
  const { record, keyOf } = plans;
  const idOf = async (thing: () => Promise<Exchange>) => given(await thing()).id as string;
  const shipmentFor = (what: string) =>
    once(async () => api.post("/shipments", { ...record, order_id: await idOf(order) }, keyOf(what)));

  const order = once(async () => {
    await api.post("/orders", { ...record, parcel: null }, keyOf("order"));
    return api.post("/orders", record, keyOf("order"));
  });
  const shipment = shipmentFor("shipment");
  const otherShipment = shipmentFor("other-shipment");
  const rates = once(async () => api.post("/rates", { shipment_id: await idOf(shipment) }, keyOf("rates")));
  const label = once(async () => {
    const rate = given(await rates())[0];
    return api.post("/labels", { shipment_id: rate?.shipment_id, rate_id: rate?.id }, keyOf("label"));
  });
  const file = once(async () => api.get(`/labels/${await idOf(label)}/file`));
  const voided = once(async () => {
    await file();
    return api.post(`/labels/${await idOf(label)}/void`, {}, keyOf("void"));
  });
  const labelFor = async (shipmentId: string) => {
    const rate = given(await rates())[0];
    return api.post("/labels", { shipment_id: shipmentId, rate_id: rate?.id });
  };
  const subscription = once(() =>
    api.post(
      "/webhooks",
      // Nothing is voided while it is active, so that nobody is sent anything.
      { url: `https://example.com${plans.webhookPath}`, events: ["label.voided"] },
      keyOf("subscription"),
    ),
  );
  return {
    account: once(() => api.get("/account")),
    order,
    fullOrder: once(() => api.post("/orders", plans.longestRecord, plans.longestKey)),
    shipment,
    otherShipment,
    rates,
    label,
    file,
    secondLabel: once(async () => labelFor(given(await label()).shipment_id)),
    labelWithForeignRate: once(async () => labelFor(await idOf(otherShipment))),
    voided,
    voidedFile: once(async () => api.get(`/labels/${await idOf(voided)}/file`)),
    voidedTracking: once(async () => api.get(`/tracking/${given(await voided()).tracking_number}`)),
    replacement: once(async () => labelFor(given(await voided()).shipment_id)),
    subscription,
    disabled: once(async () => api.delete(`/webhooks/${await idOf(subscription)}`, keyOf("disable"))),
    deliveries: once(watch),
  };
}

/** The same promise every time. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
