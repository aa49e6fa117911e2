import { ConnectError } from "@connectrpc/connect";
import { type Failure, fail, failureIn } from "@shipping/kit/errors";
import { DatabaseOutage } from "@shipping/kit/postgres/outage";
import type { Log } from "@shipping/kit/process/log";
import type { ErrorCode } from "@shipping/proto/errors";
import { type OutageCause, outageCause } from "../service-clients/outage.js";

/** How a request failed, for its line in the log. */
interface Failed {
  requestId: string;
  errorCode?: ErrorCode;
  outageCause?: OutageCause | undefined;
}

/** The failure to report for an error: the refusal itself, an outage, or an internal error. */
export function failureOf(error: unknown): Failure {
  const failure = failureIn(error);
  if (failure) return failure;
  return fail(isOutage(error) ? "service_unavailable" : "internal_error");
}

/** The failure to report for an error. The request gets its code and cause; an error that is not itself a refusal is logged. */
export function noteFailure(log: Log, request: Failed, error: unknown): Failure {
  const failure = failureOf(error);
  request.errorCode = failure.code;
  if (failure.code === "service_unavailable") request.outageCause = outageCause(error);
  const err = failure === error ? failure.cause : error;
  if (err !== undefined && failure.status >= 500) log.error({ err, request_id: request.requestId }, "request failed");
  return failure;
}

/** The refusal of an unknown path or method. */
export function unknownRoute(): Failure {
  return fail("not_found", "No such route.");
}

/** An RPC that ended without a typed refusal, or a database that could not answer. */
function isOutage(error: unknown): boolean {
  return error instanceof ConnectError || error instanceof DatabaseOutage;
}
