import type { ErrorCode, FieldError } from "./gen/api-types.js";

/** The error codes of the client itself, in addition to those of the API. */
export type ClientErrorCode =
  /** Refused before anything was sent: an option, an ID or an idempotency key. */
  | "invalid_argument"
  /** No complete response on the last attempt. */
  | "connection_failed"
  /** No complete response within `timeoutMs`, on the last attempt. */
  | "timed_out"
  /** The caller's signal was aborted. `cause` is its reason. */
  | "aborted"
  /** A response that is not from the API: a redirect, HTML from a proxy, incomplete JSON. */
  | "unexpected_answer"
  /** A webhook delivery that was not signed with any of the secrets, or was signed too long ago. */
  | "invalid_signature"
  /** A webhook delivery whose body was parsed before it was verified. */
  | "parsed_body"
  /** A webhook delivery with a valid signature, but a body that is not a JSON object. */
  | "invalid_event";

/** Open, so that a code that is added later is not a type error. */
export type ShippingErrorCode = ErrorCode | ClientErrorCode | (string & {});

export interface ShippingErrorDetails {
  status?: number | undefined;
  requestId?: string | undefined;
  fields?: readonly FieldError[] | undefined;
  idempotencyKey?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

// These names let two copies of this package in one program recognize each other's errors.
const toBrand = (name: string) => Symbol.for(`shipping-client.${name}`);

/** Names a class, and makes `instanceof` compare that name. */
export function named(kind: typeof ShippingError, name: string): void {
  const brand = toBrand(name);
  Object.defineProperty(kind.prototype, "name", { value: name });
  Object.defineProperty(kind.prototype, brand, { value: true });
  Object.defineProperty(kind, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      // Classes that a caller derives have no brand: `instanceof` checks their prototype as usual.
      if (this !== kind) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === "object" && value !== null && brand in value;
    },
  });
}

/** The base class of all errors. It never contains the API key. */
export class ShippingError extends Error {
  /** Error code for programs. It does not change. */
  readonly code: ShippingErrorCode;
  /** HTTP status of the response. Undefined if there was none. */
  readonly status: number | undefined;
  /** Include it when you contact support. */
  readonly requestId: string | undefined;
  /** The invalid fields, with the code `invalid_request`. Otherwise empty. */
  readonly fields: readonly FieldError[];
  /** The idempotency key of the failed write. If you do not know whether the write was executed, retry it with this key. */
  readonly idempotencyKey: string | undefined;
  /** The seconds to wait before you try again, from the header `Retry-After`. Undefined if the response has none. */
  readonly retryAfterSeconds: number | undefined;

  static {
    named(ShippingError, "ShippingError");
  }

  constructor(code: ShippingErrorCode, message: string, details: ShippingErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.fields = details.fields ?? [];
    this.idempotencyKey = details.idempotencyKey;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
