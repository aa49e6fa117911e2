import { noSuch } from "@shipping/proto/errors";
import type { EventType } from "@shipping/proto/event-types";
import { scopes } from "./api-key.js";

// The parts of the operations' examples. They belong together: an order, its shipment, a label that is voided, a subscription.

const from = {
  name: "Warehouse 7",
  street1: "Speicherstrasse 12",
  city: "Hamburg",
  postal_code: "20457",
  country: "DE",
  company: "Nordlicht GmbH",
};

const to = {
  name: "Zoë Martin",
  street1: "8 Rue de la Paix",
  city: "Paris",
  postal_code: "75002",
  country: "FR",
  email: "zoe@example.com",
};

const parcel = { weight_kg: 1.2, length_cm: 30, width_cm: 20, height_cm: 10 };

export const orderInput = { reference: "PO-1042", from, to, parcel, metadata: { channel: "webshop" } };

export const order = {
  id: "ord_mfrggzdfmztwq2lknnwg23tpoa",
  object: "order",
  status: "received",
  ...orderInput,
  livemode: false,
  created_at: "2026-01-15T09:30:00.000Z",
};

export const shipmentInput = { ...orderInput, order_id: order.id };

export const shipment = {
  id: "shp_nbswy3dpeb3w64tmmqqgm33pmy",
  object: "shipment",
  status: "draft",
  ...shipmentInput,
  livemode: false,
  created_at: "2026-01-15T09:31:00.000Z",
};

export const rate = {
  id: `rate_test_${shipment.id}`,
  object: "rate",
  shipment_id: shipment.id,
  carrier: "service_sandbox",
  service: "sandbox_standard",
  currency: "EUR",
  amount: 5,
  test: true,
};

export const label = {
  id: "lbl_pfxxkidmn53gk4zanfzsa33nmq",
  object: "label",
  shipment_id: shipment.id,
  status: "created",
  carrier: "service_sandbox",
  tracking_number: "TEST01938475620192837465",
  format: "pdf",
  download_path: "/api/v1/labels/lbl_pfxxkidmn53gk4zanfzsa33nmq/file",
  charge: { currency: "EUR", amount: 0 },
  test: true,
  created_at: "2026-01-15T09:32:00.000Z",
};

export const voidedLabel = { ...label, status: "voided", voided_at: "2026-01-15T10:00:00.000Z" };

export const webhookInput = {
  url: "https://hooks.example.com/shipping",
  events: ["shipment.created", "label.created"] as EventType[],
};

export const webhook = {
  id: "whk_orsxg5djnztsa4dpnrxwwzlsma",
  object: "webhook",
  ...webhookInput,
  status: "active",
  livemode: false,
  created_at: "2026-01-15T09:00:00.000Z",
};

export const secret = "whsec_Y2hvb3NlLXlvdXItb3duLXNlY3JldC0zMi1ieXRlcyE=";

export const tracking = {
  id: label.tracking_number,
  object: "tracking",
  tracking_number: label.tracking_number,
  status: "pre_transit",
  carrier: "service_sandbox",
  label_id: label.id,
  shipment_id: shipment.id,
  events: [],
  test: true,
  created_at: label.created_at,
  updated_at: label.created_at,
};

export const account = {
  id: "acc_ifbegrcfizduqskkjnge2tspka",
  object: "account",
  name: "Nordlicht GmbH",
  environment: "sandbox",
  livemode: false,
  api_version: "v1",
  scopes,
  capabilities: { orders: true, shipments: true, webhooks: true, rates: true, labels: true, tracking: true },
  limits: { requests_per_minute: 120, active_webhooks: 10 },
  created_at: "2026-01-02T08:00:00.000Z",
};

/** The event of each type, in the order of the examples. */
export const events = {
  "order.created": createEvent("evt_m4zwc5dfonvhgzlsmf2g653boi", "order.created", order.created_at, order),
  "shipment.created": createEvent("evt_nzsxg5dvonqw2zlqnrswk3dfmy", "shipment.created", shipment.created_at, shipment),
  "label.created": createEvent("evt_kq3v7zj2m5xw4a6bnd2tc7yhre", "label.created", label.created_at, label),
  "label.voided": createEvent("evt_ovzgk4tfmqxgc43fnzuw4zlsoa", "label.voided", voidedLabel.voided_at, voidedLabel),
} as const satisfies Record<EventType, unknown>;

function createEvent<Data>(id: string, type: EventType, created_at: string, data: Data) {
  return { id, type, livemode: false, created_at, data };
}

export const badLimit = { path: "limit", message: "must be an integer from 1 to 100" };
export const badCountry = { path: "to.country", message: "must be a two-letter country code in upper case" };
export const unknownField = { path: "note", message: "is not a known field: remove it" };
export const unknownParameter = { path: "note", message: "is not a known parameter: remove it" };
export const noKey = {
  path: "Idempotency-Key",
  message:
    "is missing. Add an Idempotency-Key header with 1 to 128 printable ASCII characters, a new value for each new request",
};

export const noOrder = noSuch("order");
export const noShipment = noSuch("shipment");
export const noLabel = noSuch("label");
export const noSubscription = noSuch("webhook subscription");
