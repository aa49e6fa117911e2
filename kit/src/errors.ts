import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorDetailSchema } from "@shipping/proto/shipping/common/v1/common_pb";

/** Every error an integrator can see: its HTTP status, the Connect code it travels under, and its default sentence. */
export const errors = {
  bad_request: { status: 400, connect: Code.InvalidArgument, message: "The request is not valid HTTP." },
  invalid_json: { status: 400, connect: Code.InvalidArgument, message: "The body is not valid JSON." },
  unauthorized: { status: 401, connect: Code.Unauthenticated, message: "The API key is missing or not valid." },
  missing_scope: { status: 403, connect: Code.PermissionDenied, message: "The API key lacks the scope." },
  not_found: { status: 404, connect: Code.NotFound, message: "No such resource." },
  idempotency_conflict: {
    status: 409,
    connect: Code.AlreadyExists,
    message: "This Idempotency-Key was used with another method, path or body.",
  },
  idempotency_in_progress: {
    status: 409,
    connect: Code.Aborted,
    message: "The first request with this Idempotency-Key is still running.",
  },
  label_exists: { status: 409, connect: Code.FailedPrecondition, message: "The shipment already has a label." },
  shipment_voided: {
    status: 409,
    connect: Code.FailedPrecondition,
    message: "The shipment is voided; a replacement label needs a new shipment.",
  },
  label_voided: {
    status: 409,
    connect: Code.FailedPrecondition,
    message: "The label is voided; its file can no longer be downloaded.",
  },
  webhook_limit_reached: {
    status: 409,
    connect: Code.ResourceExhausted,
    message: "The environment already has 10 active webhook subscriptions.",
  },
  payload_too_large: { status: 413, connect: Code.OutOfRange, message: "The body is larger than 65536 bytes." },
  unsupported_media_type: {
    status: 415,
    connect: Code.InvalidArgument,
    message: "The body must be sent as application/json, in UTF-8 and not compressed.",
  },
  invalid_request: { status: 422, connect: Code.InvalidArgument, message: "The request is not valid." },
  rate_limited: { status: 429, connect: Code.ResourceExhausted, message: "Too many requests with this API key." },
  internal_error: { status: 500, connect: Code.Internal, message: "Something went wrong on our side." },
  carrier_not_configured: {
    status: 503,
    connect: Code.FailedPrecondition,
    message: "No carrier is configured for the live environment.",
  },
  service_unavailable: {
    status: 503,
    connect: Code.Unavailable,
    message: "The service is not available at the moment. Repeat the request with the same Idempotency-Key.",
  },
} as const satisfies Record<string, { status: number; connect: Code; message: string }>;

export type ErrorCode = keyof typeof errors;

/** An invalid field: its dotted path (`to.country`) and the rule that it breaks. */
export interface FieldError {
  path: string;
  message: string;
}

/** A refusal that is certain: nothing was executed. `fields` go with `invalid_request` alone. */
export class Failure extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly fields: readonly FieldError[] = [],
  ) {
    super(message);
    this.name = "Failure";
  }

  get status(): number {
    return errors[this.code].status;
  }
}

/** Makes the refusal `code`, with the table's sentence unless another is given: `throw fail("not_found", "No such order.")`. */
export function fail(
  code: ErrorCode,
  message: string = errors[code].message,
  fields: readonly FieldError[] = [],
): Failure {
  return new Failure(code, message, fields);
}

/** How many invalid fields a refusal names. */
export const MOST_FIELDS = 100;

/**
 * Makes a 422 that names the invalid fields, in its sentence and as a list: the first 100, and under `whole` how many more there are, with
 * `unnamed` that are not among them.
 */
export function failFields(fields: readonly FieldError[], whole = "body", unnamed = 0): Failure {
  const named = fields.slice(0, MOST_FIELDS);
  const more = fields.length - named.length + unnamed;
  if (more > 0) named.push({ path: whole, message: `has ${more} more ${more === 1 ? "field" : "fields"} at fault` });
  const sentence = named.map((field) => `${field.path}: ${field.message}`).join("; ");
  return new Failure("invalid_request", sentence, named);
}

/** A refusal as it crosses a service boundary: the code as a typed detail, so that the other side never guesses. */
export function toConnectError(failure: Failure, cause?: unknown): ConnectError {
  const detail = {
    desc: ErrorDetailSchema,
    value: create(ErrorDetailSchema, {
      code: failure.code,
      message: failure.message,
      fields: failure.fields.map(({ path, message }) => ({ path, message })),
    }),
  };
  return new ConnectError(failure.message, errors[failure.code].connect, undefined, [detail], cause);
}

/** The refusal inside an error that crossed a service boundary, or undefined if it carries none: then its outcome is unknown. */
export function failureIn(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (!(error instanceof ConnectError)) return undefined;
  const detail = error.findDetails(ErrorDetailSchema)[0];
  if (!detail || !isErrorCode(detail.code)) return undefined;
  return new Failure(
    detail.code,
    detail.message,
    detail.fields.map(({ path, message }) => ({ path, message })),
  );
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code);
}
