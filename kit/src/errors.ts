import { create } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { type ErrorCode, errors } from "@shipping/proto/errors";
import { ErrorDetailSchema } from "@shipping/proto/shipping/common/v1/common_pb";

/** An invalid field: its dotted path (`to.country`) and the rule that it breaks. */
export interface FieldError {
  path: string;
  message: string;
}

/** A refusal, which guarantees that the request was not executed. Only `invalid_request` has `fields`. */
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

/** Creates the refusal `code`, with the table's message unless another is given: `throw fail("not_found", "No such order.")`. */
export function fail(
  code: ErrorCode,
  message: string = errors[code].message,
  fields: readonly FieldError[] = [],
): Failure {
  return new Failure(code, message, fields);
}

/** The number of invalid fields that a refusal names. */
export const MAX_FIELDS = 100;

/**
 * Creates a 422 that names the first 100 invalid fields in its message and as a list. Under `whole`, it says how many more there are, including
 * `unnamed` ones that are not in `fields`.
 */
export function failFields(fields: readonly FieldError[], whole = "body", unnamed = 0): Failure {
  const named = fields.slice(0, MAX_FIELDS);
  const more = fields.length - named.length + unnamed;
  if (more > 0) named.push({ path: whole, message: `has ${more} more invalid ${more === 1 ? "field" : "fields"}` });
  const sentence = named.map((field) => `${field.path}: ${field.message}`).join("; ");
  return new Failure("invalid_request", sentence, named);
}

/** Encodes a refusal for another part: the code is a typed detail, so that the other side does not have to guess. */
export function toConnectError(failure: Failure, cause?: unknown): ConnectError {
  const { code, message } = failure;
  const fields = failure.fields.map((field) => ({ path: field.path, message: field.message }));
  const detail = { desc: ErrorDetailSchema, value: create(ErrorDetailSchema, { code, message, fields }) };
  return new ConnectError(message, errors[code].connect, undefined, [detail], cause);
}

/** Returns the refusal inside an error that crossed a service boundary, or undefined if it carries none: then its outcome is unknown. */
export function failureIn(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (!(error instanceof ConnectError)) return undefined;
  const detail = error.findDetails(ErrorDetailSchema)[0];
  if (!detail || !Object.hasOwn(errors, detail.code)) return undefined;
  const fields = detail.fields.map(({ path, message }) => ({ path, message }));
  return new Failure(detail.code as ErrorCode, detail.message, fields);
}
