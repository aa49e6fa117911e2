// Made by `npm run generate` from the OpenAPI document: do not edit.

/** A sender or a recipient. */
export interface Address {
  /** Name of the person or company. At most 200 characters. */
  name: string;
  /** Street and house number. At most 200 characters. */
  street1: string;
  /** City. At most 200 characters. */
  city: string;
  /** Postal code. At most 200 characters. */
  postal_code: string;
  /** Two-letter country code in upper case, such as `DE`. */
  country: string;
  /** Company. At most 200 characters. */
  company?: string | undefined;
  /** Additional address line. At most 200 characters. */
  street2?: string | undefined;
  /** State or province. At most 200 characters. */
  state?: string | undefined;
  /** Email address; only its length is checked. At most 200 characters. */
  email?: string | undefined;
  /** Phone number. Only the length is checked. At most 200 characters. */
  phone?: string | undefined;
}

/** The packed parcel. These limits do not guarantee that a carrier accepts it. */
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

/** Your own JSON object, returned as you sent it. At most 4096 characters when serialized, and 16 levels deep. */
export type Metadata = { [name: string]: unknown };

/** An order to create. */
export interface OrderInput {
  /** Your own order or warehouse reference. It does not have to be unique. At most 200 characters. */
  reference: string;
  /** The sender. */
  from: Address;
  /** The recipient. */
  to: Address;
  parcel: Parcel;
  metadata?: Metadata | undefined;
}

/** A shipment of one parcel to create. It can belong to an order. */
export interface ShipmentInput {
  /** Your own order or warehouse reference. It does not have to be unique. At most 200 characters. */
  reference: string;
  /** The sender. */
  from: Address;
  /** The recipient. */
  to: Address;
  parcel: Parcel;
  metadata?: Metadata | undefined;
  /** ID of an existing order in the same account and environment. */
  order_id?: string | undefined;
}

/** ID of the shipment. */
export interface RateInput {
  /** ID of the shipment. */
  shipment_id: string;
}

export interface LabelInput {
  /** ID of the shipment. */
  shipment_id: string;
  /** ID of a rate of the same shipment. */
  rate_id: string;
  /** File format of the label. */
  format?: "pdf" | undefined;
}

export type VoidInput = { [name: string]: unknown };

export interface WebhookInput {
  /** HTTPS URL with a public host name and port 443, without credentials or a fragment. Names that are reserved for private use are refused. At most 2048 characters. */
  url: string;
  /** One to four different event types. */
  events: ("order.created" | "shipment.created" | "label.created" | "label.voided")[];
}

/** The account that the API key belongs to. */
export interface Account {
  /** ID of the account. Opaque. */
  id: string;
  object: "account";
  name: string;
  /** The environment of the API key. */
  environment: "sandbox" | "live" | (string & {});
  /** True for records of the live environment. */
  livemode: boolean;
  api_version: "v1" | (string & {});
  /** The scopes of the API key. */
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
  /** ISO 8601 in UTC, with milliseconds. */
  created_at: string;
}

/** An order. */
export interface Order {
  /** ID of an order. Opaque. */
  id: string;
  object: "order";
  status: "received" | (string & {});
  /** Your own reference. */
  reference: string;
  from: Address;
  to: Address;
  parcel: Parcel;
  metadata?: Metadata;
  /** True for records of the live environment. */
  livemode: boolean;
  /** ISO 8601 in UTC, with milliseconds. */
  created_at: string;
}

/** A shipment of one packed parcel. It has at most one label. Its status follows the state of the label. */
export interface Shipment {
  /** ID of a shipment. Opaque. */
  id: string;
  object: "shipment";
  status: "draft" | "label_created" | "voided" | (string & {});
  /** Your own reference. */
  reference: string;
  from: Address;
  to: Address;
  parcel: Parcel;
  metadata?: Metadata;
  /** ID of an order. Opaque. */
  order_id?: string;
  /** ID of a label. Opaque. */
  label_id?: string;
  /** True for records of the live environment. */
  livemode: boolean;
  /** ISO 8601 in UTC, with milliseconds. */
  created_at: string;
}

/** A fixed sandbox rate for one shipment. */
export interface Rate {
  /** `rate_test_` followed by the ID of the shipment. */
  id: string;
  object: "rate";
  /** ID of a shipment. Opaque. */
  shipment_id: string;
  carrier: "service_sandbox" | (string & {});
  service: "sandbox_standard" | (string & {});
  currency: "EUR" | (string & {});
  /** Amount in major units, such as 5.00 euros. */
  amount: number;
  /** True in the sandbox: not valid postage and not an offer. */
  test: boolean;
}

/** A label. Sandbox labels are not valid postage and are free. */
export interface Label {
  /** ID of a label. Opaque. */
  id: string;
  object: "label";
  /** ID of a shipment. Opaque. */
  shipment_id: string;
  status: "created" | "voided" | (string & {});
  carrier: "service_sandbox" | (string & {});
  /** Tracking number of the label. In the sandbox, it starts with `TEST`. */
  tracking_number: string;
  format: "pdf" | (string & {});
  /** Path of the PDF on the API's host. */
  download_path: string;
  charge: {
    currency: "EUR" | (string & {});
    amount: number;
  };
  /** True in the sandbox: not valid postage and not an offer. */
  test: boolean;
  /** ISO 8601 in UTC, with milliseconds. */
  created_at: string;
  /** Only present after the label was voided. */
  voided_at?: string;
}

/** The tracking record of a sandbox label. You cannot track it with a carrier. */
export interface Tracking {
  /** Tracking number of the label. In the sandbox, it starts with `TEST`. */
  id: string;
  object: "tracking";
  /** Tracking number of the label. In the sandbox, it starts with `TEST`. */
  tracking_number: string;
  /** `pre_transit`, or `voided` after the label was voided. */
  status: "pre_transit" | "voided" | (string & {});
  carrier: "service_sandbox" | (string & {});
  /** ID of a label. Opaque. */
  label_id: string;
  /** ID of a shipment. Opaque. */
  shipment_id: string;
  /** Always empty in the sandbox. */
  events: ({ [name: string]: unknown })[];
  /** True in the sandbox: not valid postage and not an offer. */
  test: boolean;
  /** When the label was created. */
  created_at: string;
  /** When the label was last changed. */
  updated_at: string;
}

/** A webhook subscription. */
export interface Webhook {
  /** ID of a webhook subscription. Opaque. */
  id: string;
  object: "webhook";
  url: string;
  events: ("order.created" | "shipment.created" | "label.created" | "label.voided" | (string & {}))[];
  status: "active" | "disabled" | (string & {});
  /** True for records of the live environment. */
  livemode: boolean;
  /** ISO 8601 in UTC, with milliseconds. */
  created_at: string;
  /** Only present after the subscription was disabled. */
  disabled_at?: string;
}

/** A new webhook subscription, with its secret. */
export interface CreatedWebhook {
  /** ID of a webhook subscription. Opaque. */
  id: string;
  object: "webhook";
  url: string;
  events: ("order.created" | "shipment.created" | "label.created" | "label.voided" | (string & {}))[];
  status: "active" | "disabled" | (string & {});
  /** True for records of the live environment. */
  livemode: boolean;
  /** ISO 8601 in UTC, with milliseconds. */
  created_at: string;
  /** Only present after the subscription was disabled. */
  disabled_at?: string;
  /** The secret that signs every delivery. Only this response contains it. */
  secret: string;
}

/** An order was created. */
export interface OrderCreatedEvent {
  /** ID of the event, the same in every delivery of this event. Starts with `evt_`. */
  id: string;
  type: "order.created";
  /** False in the sandbox, true in live. */
  livemode: boolean;
  /** Time of the event: ISO 8601 in UTC, with milliseconds. */
  created_at: string;
  data: Order;
}

/** A shipment was created. */
export interface ShipmentCreatedEvent {
  /** ID of the event, the same in every delivery of this event. Starts with `evt_`. */
  id: string;
  type: "shipment.created";
  /** False in the sandbox, true in live. */
  livemode: boolean;
  /** Time of the event: ISO 8601 in UTC, with milliseconds. */
  created_at: string;
  data: Shipment;
}

/** A label was created. */
export interface LabelCreatedEvent {
  /** ID of the event, the same in every delivery of this event. Starts with `evt_`. */
  id: string;
  type: "label.created";
  /** False in the sandbox, true in live. */
  livemode: boolean;
  /** Time of the event: ISO 8601 in UTC, with milliseconds. */
  created_at: string;
  data: Label;
}

/** A label was voided. */
export interface LabelVoidedEvent {
  /** ID of the event, the same in every delivery of this event. Starts with `evt_`. */
  id: string;
  type: "label.voided";
  /** False in the sandbox, true in live. */
  livemode: boolean;
  /** Time of the event: ISO 8601 in UTC, with milliseconds. */
  created_at: string;
  data: Label;
}

/** Error code for programs. It does not change. */
export type ErrorCode = "bad_request" | "invalid_json" | "unauthorized" | "missing_scope" | "not_found" | "idempotency_conflict" | "idempotency_in_progress" | "label_exists" | "shipment_voided" | "label_voided" | "webhook_limit_reached" | "payload_too_large" | "unsupported_media_type" | "invalid_request" | "rate_limited" | "internal_error" | "carrier_not_configured" | "service_unavailable";

/** An invalid field. */
export interface FieldError {
  /** Path of the field, such as `to.country`. */
  path: string;
  /** The rule that the field breaks. */
  message: string;
}

/** The body of every error. */
export interface ErrorBody {
  error: {
    code: ErrorCode;
    /** Message for people. It can change. */
    message: string;
    /** The same as `X-Request-Id`. Include it when you contact support. */
    request_id: string;
    /** The invalid fields. Only present with status 422. */
    fields?: FieldError[];
  };
}

/** Any event type that is newer than this client. To compare one with a text, assign it to a `string` first. */
export declare enum UnknownEventType {
  newer = "",
}

/** An event of a type that is newer than this client. */
export interface UnknownEvent {
  id: string;
  type: UnknownEventType;
  livemode: boolean;
  created_at: string;
  data: { [name: string]: unknown };
}

/**
 * What a delivery brings: `type` tells which it is. `data` is the resource as it was then. Ignore members and types that you do
 * not know.
 */
export type WebhookEvent = OrderCreatedEvent | ShipmentCreatedEvent | LabelCreatedEvent | LabelVoidedEvent | UnknownEvent;
