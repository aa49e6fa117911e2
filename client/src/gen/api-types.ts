// Made by `npm run generate` from the OpenAPI document: do not edit.

/** A sender or a recipient. */
export interface Address {
  /** Name of the person or the business. At most 200 characters. */
  name: string;
  /** Street and house number. At most 200 characters. */
  street1: string;
  /** City. At most 200 characters. */
  city: string;
  /** Postal code. At most 200 characters. */
  postal_code: string;
  /** Two-letter country code, upper case. */
  country: string;
  /** Company. At most 200 characters. */
  company?: string | undefined;
  /** More of the street address. At most 200 characters. */
  street2?: string | undefined;
  /** State or province. At most 200 characters. */
  state?: string | undefined;
  /** Email address; only its length is checked. At most 200 characters. */
  email?: string | undefined;
  /** Phone number; only its length is checked. At most 200 characters. */
  phone?: string | undefined;
}

/** The one packed parcel. The bounds are no promise that a carrier takes it. */
export interface Parcel {
  /** Weight in kilograms. Greater than 0, at most 1000. */
  weight_kg: number;
  /** Length in centimetres. Greater than 0, at most 1000. */
  length_cm: number;
  /** Width in centimetres. Greater than 0, at most 1000. */
  width_cm: number;
  /** Height in centimetres. Greater than 0, at most 1000. */
  height_cm: number;
}

/** Your own JSON object, returned as sent: at most 4096 characters when serialized, 16 levels deep. */
export type Metadata = { [name: string]: unknown };

/** An order to create. */
export interface OrderInput {
  /** Your own order or warehouse reference. It does not deduplicate. At most 200 characters. */
  reference: string;
  /** The sender. */
  from: Address;
  /** The recipient. */
  to: Address;
  parcel: Parcel;
  metadata?: Metadata | undefined;
}

/** A shipment to create: one parcel, whether or not it belongs to an order. */
export interface ShipmentInput {
  /** Your own order or warehouse reference. It does not deduplicate. At most 200 characters. */
  reference: string;
  /** The sender. */
  from: Address;
  /** The recipient. */
  to: Address;
  parcel: Parcel;
  metadata?: Metadata | undefined;
  /** An existing order of the same account and environment. */
  order_id?: string | undefined;
}

/** The shipment to rate. */
export interface RateInput {
  /** The shipment to rate. */
  shipment_id: string;
}

export interface LabelInput {
  /** The shipment to label. */
  shipment_id: string;
  /** The rate that was returned for that very shipment. */
  rate_id: string;
  /** Only `pdf`. */
  format?: "pdf" | undefined;
}

export type VoidInput = { [name: string]: unknown };

export interface WebhookInput {
  /** HTTPS URL of a public host, port 443, without credentials or fragment. Names that are reserved for private use are refused. At most 2048 characters. */
  url: string;
  /** One to four different event types. */
  events: ("order.created" | "shipment.created" | "label.created" | "label.voided")[];
}

/** Identity and capabilities of the calling account. */
export interface Account {
  /** Opaque id of the account. */
  id: string;
  object: "account";
  name: string;
  /** The environment of the calling key. */
  environment: "sandbox" | "live";
  /** True for records of the live environment. */
  livemode: boolean;
  api_version: "v1";
  /** The scopes of the calling key. */
  scopes: string[];
  capabilities: {
    orders: boolean;
    shipments: boolean;
    webhooks: boolean;
    rates: boolean;
    labels: boolean;
    tracking: boolean;
  };
  limits: {
    requests_per_minute: number;
    active_webhooks: number;
  };
  /** ISO 8601 UTC with milliseconds. */
  created_at: string;
}

/** An order. */
export interface Order {
  /** Opaque id of an order. */
  id: string;
  object: "order";
  status: "received";
  /** Your own reference. */
  reference: string;
  from: Address;
  to: Address;
  parcel: Parcel;
  metadata?: Metadata;
  /** True for records of the live environment. */
  livemode: boolean;
  /** ISO 8601 UTC with milliseconds. */
  created_at: string;
}

/** A shipment of one packed parcel. It has at most one label, whose state its status follows. */
export interface Shipment {
  /** Opaque id of a shipment. */
  id: string;
  object: "shipment";
  status: "draft" | "label_created" | "voided";
  /** Your own reference. */
  reference: string;
  from: Address;
  to: Address;
  parcel: Parcel;
  metadata?: Metadata;
  /** Opaque id of an order. */
  order_id?: string;
  /** Opaque id of a label. */
  label_id?: string;
  /** True for records of the live environment. */
  livemode: boolean;
  /** ISO 8601 UTC with milliseconds. */
  created_at: string;
}

/** A fixed sandbox rate for one shipment. */
export interface Rate {
  /** `rate_test_` and the shipment's id. */
  id: string;
  object: "rate";
  /** Opaque id of a shipment. */
  shipment_id: string;
  carrier: "service_sandbox";
  service: "sandbox_standard";
  currency: "EUR";
  /** In major units: 5.00 euros. */
  amount: 5;
  /** No valid postage, no offer: of the sandbox. */
  test: true;
}

/** A label. Those of the sandbox are no valid postage and cost nothing. */
export interface Label {
  /** Opaque id of a label. */
  id: string;
  object: "label";
  /** Opaque id of a shipment. */
  shipment_id: string;
  status: "created" | "voided";
  carrier: "service_sandbox";
  /** The label's tracking number. Those of the sandbox start with `TEST`. */
  tracking_number: string;
  format: "pdf";
  /** Path of the file on this host. */
  download_path: string;
  charge: {
    currency: "EUR";
    amount: 0;
  };
  /** No valid postage, no offer: of the sandbox. */
  test: true;
  /** ISO 8601 UTC with milliseconds. */
  created_at: string;
  /** Present once voided. */
  voided_at?: string;
}

/** The tracking record of a sandbox label. It cannot be tracked through a carrier. */
export interface Tracking {
  /** The label's tracking number. Those of the sandbox start with `TEST`. */
  id: string;
  object: "tracking";
  /** The label's tracking number. Those of the sandbox start with `TEST`. */
  tracking_number: string;
  /** `pre_transit` until the label is voided. */
  status: "pre_transit" | "voided";
  carrier: "service_sandbox";
  /** Opaque id of a label. */
  label_id: string;
  /** Opaque id of a shipment. */
  shipment_id: string;
  /** Always empty in the sandbox. */
  events: ({ [name: string]: unknown })[];
  /** No valid postage, no offer: of the sandbox. */
  test: true;
  /** When the label was created. */
  created_at: string;
  /** When the label was last changed. */
  updated_at: string;
}

/** A webhook subscription. */
export interface Webhook {
  /** Opaque id of a webhook subscription. */
  id: string;
  object: "webhook";
  url: string;
  events: ("order.created" | "shipment.created" | "label.created" | "label.voided")[];
  status: "active" | "disabled";
  /** True for records of the live environment. */
  livemode: boolean;
  /** ISO 8601 UTC with milliseconds. */
  created_at: string;
  /** Present once disabled. */
  disabled_at?: string;
}

/** A webhook subscription that was just created. */
export interface CreatedWebhook {
  /** Opaque id of a webhook subscription. */
  id: string;
  object: "webhook";
  url: string;
  events: ("order.created" | "shipment.created" | "label.created" | "label.voided")[];
  status: "active" | "disabled";
  /** True for records of the live environment. */
  livemode: boolean;
  /** ISO 8601 UTC with milliseconds. */
  created_at: string;
  /** Present once disabled. */
  disabled_at?: string;
  /** Signs every delivery. This answer alone shows it. */
  secret: string;
}

/** An order was created. */
export interface OrderCreatedEvent {
  /** The same in every delivery of this event. Starts with `evt_`. */
  id: string;
  type: "order.created";
  /** False in the sandbox. */
  livemode: boolean;
  /** When it happened: ISO 8601 UTC with milliseconds. */
  created_at: string;
  data: Order;
}

/** A shipment was created. */
export interface ShipmentCreatedEvent {
  /** The same in every delivery of this event. Starts with `evt_`. */
  id: string;
  type: "shipment.created";
  /** False in the sandbox. */
  livemode: boolean;
  /** When it happened: ISO 8601 UTC with milliseconds. */
  created_at: string;
  data: Shipment;
}

/** A label was created. */
export interface LabelCreatedEvent {
  /** The same in every delivery of this event. Starts with `evt_`. */
  id: string;
  type: "label.created";
  /** False in the sandbox. */
  livemode: boolean;
  /** When it happened: ISO 8601 UTC with milliseconds. */
  created_at: string;
  data: Label;
}

/** A label was voided. */
export interface LabelVoidedEvent {
  /** The same in every delivery of this event. Starts with `evt_`. */
  id: string;
  type: "label.voided";
  /** False in the sandbox. */
  livemode: boolean;
  /** When it happened: ISO 8601 UTC with milliseconds. */
  created_at: string;
  data: Label;
}

/** What went wrong, for programs: it does not change. */
export type ErrorCode = "bad_request" | "invalid_json" | "unauthorized" | "missing_scope" | "not_found" | "idempotency_conflict" | "idempotency_in_progress" | "label_exists" | "shipment_voided" | "label_voided" | "webhook_limit_reached" | "payload_too_large" | "unsupported_media_type" | "invalid_request" | "rate_limited" | "internal_error" | "carrier_not_configured" | "service_unavailable";

/** A field at fault. */
export interface FieldError {
  /** Dotted path, for instance `to.country`. */
  path: string;
  /** The rule that it breaks. */
  message: string;
}

/** Every failure. */
export interface ErrorBody {
  error: {
    code: ErrorCode;
    /** For people: it may change. */
    message: string;
    /** Equals `X-Request-Id`; quote it when you ask for help. */
    request_id: string;
    /** Every field at fault; with status 422 only. */
    fields?: FieldError[];
  };
}

/**
 * What a delivery brings: `type` tells which it is. `data` is the resource as it was then. Ignore members and types that you do
 * not know.
 */
export type WebhookEvent = OrderCreatedEvent | ShipmentCreatedEvent | LabelCreatedEvent | LabelVoidedEvent;
