import { ConnectError } from "@connectrpc/connect";
import { type Failure, fail, failureIn } from "@shipping/kit/errors";
import { DatabaseOutage } from "@shipping/kit/postgres/outage";

/** The failure to report for an error: the refusal itself, an outage, or an internal error. */
export function failureOf(error: unknown): Failure {
  const failure = failureIn(error);
  if (failure) return failure;
  return fail(isOutage(error) ? "service_unavailable" : "internal_error");
}

/** The refusal of an unknown path or method. */
export function unknownRoute(): Failure {
  return fail("not_found", "No such route.");
}

/** An RPC that ended without a typed refusal, or a database that could not answer. */
function isOutage(error: unknown): boolean {
  return error instanceof ConnectError || error instanceof DatabaseOutage;
}
