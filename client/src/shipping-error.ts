import type { ErrorCode, FieldError } from "./gen/api-types.js";

/** What the client itself finds, beside the codes that the API answers. */
export type ClientErrorCode =
  /** Refused before anything was sent: an option, an id or an idempotency key. */
  | "invalid_argument"
  /** No answer, or none that was complete, on the last attempt. */
  | "connection_failed"
  /** No complete response within `timeoutMs`, on the last attempt. */
  | "timed_out"
  /** The caller's signal was aborted. `cause` is its reason. */
  | "aborted"
  /** An answer that is not the API's: a redirect, HTML of something in between, half a JSON. */
  | "unexpected_answer"
  /** A webhook that was not signed with this secret, or too long ago. */
  | "invalid_signature"
  /** A webhook whose body was parsed before it was verified. */
  | "parsed_body"
  /** A webhook with a valid signature whose body is not JSON. */
  | "invalid_event";

/** Open, so that a code that is added later is not a type error. */
export type ShippingErrorCode = ErrorCode | ClientErrorCode | (string & {});

export interface ShippingErrorDetails {
  status?: number | undefined;
  requestId?: string | undefined;
  fields?: readonly FieldError[] | undefined;
  idempotencyKey?: string | undefined;
  cause?: unknown;
}

// Two copies of this package in one program know each other's errors.
const brandOf = (name: string) => Symbol.for(`shipping-client.${name}`);

/** Names a class, and has `instanceof` go by that name, so that it also knows the errors of another copy of this package. */
export function named(kind: typeof ShippingError, name: string): void {
  const brand = brandOf(name);
  Object.defineProperty(kind.prototype, "name", { value: name });
  Object.defineProperty(kind.prototype, brand, { value: true });
  Object.defineProperty(kind, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      // A class that a caller derives has no brand of its own, and goes by its prototype as any class does.
      if (this !== kind) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === "object" && value !== null && brand in value;
    },
  });
}

/** Every failure. It never holds the API key. */
export class ShippingError extends Error {
  /** For programs: it does not change. */
  readonly code: ShippingErrorCode;
  /** HTTP status of the answer; undefined if there was none. */
  readonly status: number | undefined;
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined;
  /** Every field at fault, with `invalid_request`; otherwise empty. */
  readonly fields: readonly FieldError[];
  /** The key of the write that failed. Repeat the write with it if you cannot know whether it was executed. */
  readonly idempotencyKey: string | undefined;

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
  }
}
