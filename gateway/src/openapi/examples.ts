import type { FieldError } from "@shipping/kit/errors";
import { scopes } from "../admission/api-key.js";

// One story, told through every operation: an order, its shipment, a label that is voided, a subscription.

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

const orderInput = { reference: "PO-1042", from, to, parcel, metadata: { channel: "webshop" } };

const order = {
  id: "ord_mfrggzdfmztwq2lknnwg23tpoa",
  object: "order",
  status: "received",
  ...orderInput,
  livemode: false,
  created_at: "2026-01-15T09:30:00.000Z",
};

const shipmentInput = { ...orderInput, order_id: order.id };

const shipment = {
  id: "shp_nbswy3dpeb3w64tmmqqgm33pmy",
  object: "shipment",
  status: "draft",
  ...shipmentInput,
  livemode: false,
  created_at: "2026-01-15T09:31:00.000Z",
};

const rate = {
  id: `rate_test_${shipment.id}`,
  object: "rate",
  shipment_id: shipment.id,
  carrier: "service_sandbox",
  service: "sandbox_standard",
  currency: "EUR",
  amount: 5,
  test: true,
};

const label = {
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

const webhookInput = { url: "https://hooks.example.com/shipping", events: ["shipment.created", "label.created"] };

const webhook = {
  id: "whk_orsxg5djnztsa4dpnrxwwzlsma",
  object: "webhook",
  ...webhookInput,
  status: "active",
  livemode: false,
  created_at: "2026-01-15T09:00:00.000Z",
};

const secret = "whsec_Y2hvb3NlLXlvdXItb3duLXNlY3JldC1ieXRlczEyMzQ";

const tracking = {
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

const account = {
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

/** What the subscription is sent when the label was made. */
export const eventExample = {
  id: "evt_kq3v7zj2m5xw4a6bnd2tc7yhre",
  type: "label.created",
  livemode: false,
  created_at: label.created_at,
  data: label,
};

const badLimit = { path: "limit", message: "must be an integer from 1 to 100" };
const badCountry = { path: "to.country", message: "must be two letters A-Z" };
const unknownMember = { path: "note", message: "is not known here" };
const noKey = { path: "Idempotency-Key", message: "must be sent once, with 1 to 128 printable ASCII characters" };

const noOrder = "No such order.";
const noShipment = "No such shipment.";
const noLabel = "No such label.";
const noSubscription = "No such webhook subscription.";

/** A request of an operation, its answer, and a field at fault in another. */
export interface Example {
  /** What stands for the id in the path. */
  id?: string;
  body?: unknown;
  /** What is answered under `data`. */
  data?: unknown;
  invalid: FieldError;
  /** What is said if something that is named does not exist. */
  missing?: string;
}

/** By the operation's name. A test sends them in the order in which the story happens. */
export const examples: Readonly<Record<string, Example>> = {
  getAccount: { data: account, invalid: unknownMember },
  createOrder: { body: orderInput, data: order, invalid: badCountry },
  listOrders: { data: [order], invalid: badLimit },
  getOrder: { id: order.id, data: order, invalid: unknownMember, missing: noOrder },
  createShipment: { body: shipmentInput, data: shipment, invalid: badCountry, missing: noOrder },
  listShipments: { data: [shipment], invalid: badLimit },
  getShipment: {
    id: shipment.id,
    data: { ...shipment, status: "label_created", label_id: label.id },
    invalid: unknownMember,
    missing: noShipment,
  },
  quoteRates: {
    body: { shipment_id: shipment.id },
    data: [rate],
    invalid: { path: "shipment_id", message: "is required" },
    missing: noShipment,
  },
  createLabel: {
    body: { shipment_id: shipment.id, rate_id: rate.id, format: "pdf" },
    data: label,
    invalid: { path: "format", message: 'must be "pdf"' },
    missing: noShipment,
  },
  listLabels: { data: [label], invalid: badLimit },
  getLabel: { id: label.id, data: label, invalid: unknownMember, missing: noLabel },
  getLabelFile: { id: label.id, invalid: unknownMember, missing: noLabel },
  voidLabel: {
    id: label.id,
    body: {},
    data: { ...label, status: "voided", voided_at: "2026-01-15T10:00:00.000Z" },
    invalid: unknownMember,
    missing: noLabel,
  },
  getTracking: {
    id: label.tracking_number,
    data: tracking,
    invalid: unknownMember,
    missing: "No such tracking number.",
  },
  createSubscription: {
    body: webhookInput,
    data: { ...webhook, secret },
    invalid: { path: "events", message: "must be a list of one to four different event types" },
  },
  listSubscriptions: { data: [webhook], invalid: badLimit },
  getSubscription: { id: webhook.id, data: webhook, invalid: unknownMember, missing: noSubscription },
  disableSubscription: {
    id: webhook.id,
    data: { ...webhook, status: "disabled", disabled_at: "2026-01-16T09:00:00.000Z" },
    invalid: noKey,
    missing: noSubscription,
  },
};
