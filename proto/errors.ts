import { Code } from "@connectrpc/connect";

/** The message of a 404 for the ID of a resource. */
export function noSuch(resource: string): string {
  return `No such ${resource}. Send the ID of one in the account and environment of your API key.`;
}

/** Every error an integrator can see: its HTTP status, the Connect code it travels under, and its default sentence. */
export const errors = {
  bad_request: {
    status: 400,
    connect: Code.InvalidArgument,
    message: "The request is not valid HTTP. Send it as HTTP/1.1.",
  },
  invalid_json: { status: 400, connect: Code.InvalidArgument, message: "The body is not valid JSON." },
  unauthorized: {
    status: 401,
    connect: Code.Unauthenticated,
    message: "The API key is unknown, expired or revoked. Send a valid one as Authorization: Bearer <key>.",
  },
  missing_scope: {
    status: 403,
    connect: Code.PermissionDenied,
    message: "The API key does not have the required scope. Use a key that has it.",
  },
  not_found: { status: 404, connect: Code.NotFound, message: noSuch("resource") },
  idempotency_conflict: {
    status: 409,
    connect: Code.AlreadyExists,
    message:
      "This Idempotency-Key was already used with a different method, path or body. Send a new key, or the first request unchanged.",
  },
  idempotency_in_progress: {
    status: 409,
    connect: Code.Aborted,
    message:
      "The first request with this Idempotency-Key is still in progress. Send the same request again in a second.",
  },
  label_exists: {
    status: 409,
    connect: Code.FailedPrecondition,
    message: "The shipment already has a label. Create a new shipment for another one.",
  },
  shipment_voided: {
    status: 409,
    connect: Code.FailedPrecondition,
    message: "The shipment is voided. Create a new shipment for a replacement label.",
  },
  label_voided: {
    status: 409,
    connect: Code.FailedPrecondition,
    message:
      "The label is voided, so its file can no longer be downloaded. Create a new shipment for a replacement label.",
  },
  webhook_limit_reached: {
    status: 409,
    connect: Code.ResourceExhausted,
    message: "The environment already has 10 active webhook subscriptions. Delete one first.",
  },
  payload_too_large: {
    status: 413,
    connect: Code.OutOfRange,
    message: "The body is larger than 64 KiB (65,536 bytes). Send a smaller one.",
  },
  unsupported_media_type: {
    status: 415,
    connect: Code.InvalidArgument,
    message: "Send the body uncompressed, as application/json in UTF-8.",
  },
  invalid_request: { status: 422, connect: Code.InvalidArgument, message: "The request is not valid." },
  rate_limited: {
    status: 429,
    connect: Code.ResourceExhausted,
    message: "Too many requests with this API key. Retry after 60 seconds.",
  },
  internal_error: { status: 500, connect: Code.Internal, message: "Something went wrong on our side." },
  carrier_not_configured: {
    status: 503,
    connect: Code.FailedPrecondition,
    message: "No carrier is configured for the live environment. Use a sandbox key.",
  },
  service_unavailable: {
    status: 503,
    connect: Code.Unavailable,
    message: "The service is temporarily unavailable. Retry the request. For a write, use the same Idempotency-Key.",
  },
} as const satisfies Record<string, { status: number; connect: Code; message: string }>;

/** The code of an error, for programs: `label_exists`. */
export type ErrorCode = keyof typeof errors;
