import { type Call, call } from "./call.js";
import { readSettings, type Settings, type ShippingOptions } from "./config.js";
import type { LabelCreatedEvent, LabelVoidedEvent } from "./gen/api-types.js";
import type { RawOperation, WriteOptions } from "./operation.js";
import type { RawAnswer } from "./read-answer.js";
import {
  AccountResource,
  LabelsResource,
  OrdersResource,
  RatesResource,
  ShipmentsResource,
  TrackingResource,
  WebhooksResource,
} from "./resources.js";
import { testHeader, verify } from "./webhook-signature.js";

export type { Call, List, ListOptions } from "./call.js";
export type { ShippingOptions } from "./config.js";
export {
  AbortedError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InvalidArgumentError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  UnexpectedAnswerError,
  WebhookVerificationError,
} from "./error-kinds.js";
export type * from "./gen/api-types.js";
// These are the names of version 1.0.
export type {
  OrderCreatedEvent as OrderEvent,
  ShipmentCreatedEvent as ShipmentEvent,
  WebhookEvent as Event,
} from "./gen/api-types.js";
export type { Hooks, RequestInfo, ResponseInfo } from "./hooks.js";
export type { RawOperation, ReadOptions, WriteOptions } from "./operation.js";
export type { BodyStream, NodeStream, RawBody } from "./raw-body.js";
export type { Page, RawAnswer } from "./read-answer.js";
export type {
  AccountResource,
  LabelsResource,
  OrdersResource,
  RatesResource,
  ShipmentsResource,
  TrackingResource,
  WebhooksResource,
} from "./resources.js";
export type { Answered, AnswerInfo } from "./send.js";
export {
  type ClientErrorCode,
  ShippingError,
  type ShippingErrorCode,
  type ShippingErrorDetails,
} from "./shipping-error.js";
export type { TestHeaderOptions, VerifyOptions } from "./webhook-signature.js";

export type LabelEvent = LabelCreatedEvent | LabelVoidedEvent;

/** Functions for receivers of events and their tests. They need a subscription's secret, but no API key. */
export const webhooks = { verify, testHeader } as const;

/** A client of the API with one API key. */
export class Shipping {
  /** The same as the export `webhooks`. To manage subscriptions, use `webhooks` of an instance. */
  static readonly webhooks = webhooks;

  readonly #settings: Settings;
  readonly account: AccountResource;
  readonly orders: OrdersResource;
  readonly shipments: ShipmentsResource;
  readonly rates: RatesResource;
  readonly labels: LabelsResource;
  readonly tracking: TrackingResource;
  readonly webhooks: WebhooksResource;

  constructor(options: ShippingOptions = {}) {
    const settings = readSettings(options);
    this.#settings = settings;
    this.account = new AccountResource(settings);
    this.orders = new OrdersResource(settings);
    this.shipments = new ShipmentsResource(settings);
    this.rates = new RatesResource(settings);
    this.labels = new LabelsResource(settings);
    this.tracking = new TrackingResource(settings);
    this.webhooks = new WebhooksResource(settings);
  }

  /**
   * Sends any operation, also one that is newer than this client. The body of the response is not parsed. Retries, errors and idempotency keys are
   * those of the other calls.
   */
  request(operation: RawOperation, options?: WriteOptions): Call<RawAnswer> {
    const { method, path, query, body } = operation;
    return call(this.#settings, { method, path, ...(query && { query }), body, answers: "raw", options });
  }
}
