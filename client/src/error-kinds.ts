import type { ErrorCode } from "./gen/api-types.js";
import { type ClientErrorCode, named, ShippingError, type ShippingErrorDetails } from "./shipping-error.js";

// TypeScript compares classes by structure, so the literal names tell them apart.

/** The request is invalid: 400, 413, 415, 422. `fields` lists the invalid fields. */
export class InvalidRequestError extends ShippingError {
  declare readonly name: "InvalidRequestError";
}

/** The API key is missing, unknown, expired or revoked: 401. */
export class AuthenticationError extends ShippingError {
  declare readonly name: "AuthenticationError";
}

/** The API key does not have the required scope: 403. */
export class PermissionError extends ShippingError {
  declare readonly name: "PermissionError";
}

/** The resource does not exist, or belongs to another account: 404. */
export class NotFoundError extends ShippingError {
  declare readonly name: "NotFoundError";
}

/** The state of a resource or of an idempotency key does not allow the request: 409. */
export class ConflictError extends ShippingError {
  declare readonly name: "ConflictError";
}

/** Too many requests with this API key, even after all retries: 429. */
export class RateLimitError extends ShippingError {
  declare readonly name: "RateLimitError";
}

/** The API failed or cannot do this: 500, 503. */
export class ServerError extends ShippingError {
  declare readonly name: "ServerError";
}

/** No complete response, because the connection failed or it took too long. The request may have been executed. */
export class ConnectionError extends ShippingError {
  declare readonly name: "ConnectionError";
}

/** Your signal was aborted. The request may have been executed. */
export class AbortedError extends ShippingError {
  declare readonly name: "AbortedError";
}

/** The response is not from the API, but from a proxy or another program in between. */
export class UnexpectedAnswerError extends ShippingError {
  declare readonly name: "UnexpectedAnswerError";
}

/** An option, an ID or the input is invalid. Nothing was sent. */
export class InvalidArgumentError extends ShippingError {
  declare readonly name: "InvalidArgumentError";
}

/** A webhook delivery that you must not trust, or whose body cannot be read. */
export class WebhookVerificationError extends ShippingError {
  declare readonly name: "WebhookVerificationError";
}

const classes = {
  InvalidRequestError,
  AuthenticationError,
  PermissionError,
  NotFoundError,
  ConflictError,
  RateLimitError,
  ServerError,
  ConnectionError,
  AbortedError,
  UnexpectedAnswerError,
  InvalidArgumentError,
  WebhookVerificationError,
};
for (const [name, kind] of Object.entries(classes)) named(kind, name);

/** The class of every code. The compiler reports codes without one. */
const KINDS: Readonly<Record<ErrorCode | ClientErrorCode, typeof ShippingError>> = {
  bad_request: InvalidRequestError,
  invalid_json: InvalidRequestError,
  unauthorized: AuthenticationError,
  missing_scope: PermissionError,
  not_found: NotFoundError,
  idempotency_conflict: ConflictError,
  idempotency_in_progress: ConflictError,
  label_exists: ConflictError,
  shipment_voided: ConflictError,
  label_voided: ConflictError,
  webhook_limit_reached: ConflictError,
  payload_too_large: InvalidRequestError,
  unsupported_media_type: InvalidRequestError,
  invalid_request: InvalidRequestError,
  rate_limited: RateLimitError,
  internal_error: ServerError,
  carrier_not_configured: ServerError,
  service_unavailable: ServerError,
  invalid_argument: InvalidArgumentError,
  connection_failed: ConnectionError,
  timed_out: ConnectionError,
  aborted: AbortedError,
  unexpected_answer: UnexpectedAnswerError,
  invalid_signature: WebhookVerificationError,
  parsed_body: WebhookVerificationError,
  invalid_event: WebhookVerificationError,
};

const BY_STATUS: Readonly<Record<number, typeof ShippingError>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

export function isKnownCode(code: string): code is keyof typeof KINDS {
  return Object.hasOwn(KINDS, code);
}

/** An error of the class of its code. For codes that are newer than this client, the status decides. */
export function newError(code: string, message: string, details: ShippingErrorDetails = {}): ShippingError {
  const Kind = isKnownCode(code) ? KINDS[code] : kindForStatus(details.status);
  // Node prints the source line of an uncaught error, which would be this one, unless it has this comment.
  return new Kind(code, message, details); // node-do-not-add-exception-line
}

function kindForStatus(status = 0): typeof ShippingError {
  if (status >= 500) return ServerError;
  return BY_STATUS[status] ?? (status >= 400 ? InvalidRequestError : ShippingError);
}
