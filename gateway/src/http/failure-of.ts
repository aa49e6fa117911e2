import { ConnectError } from "@connectrpc/connect";
import { type Failure, fail, failureIn } from "@shipping/kit/errors";
import pg from "pg";

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

/** An RPC that ended without a typed refusal, or a database that could not be reached. */
function isOutage(error: unknown): boolean {
  if (error instanceof ConnectError) return true;
  if (error instanceof pg.DatabaseError) return OUTAGE_STATES.test(error.code ?? "");
  const { code = "", message = "" } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return SYSTEM_ERROR.test(code) || POOL_FAULT.test(message);
}

// Connection, rollback, resources, limits, operator's intervention, system.
const OUTAGE_STATES = /^(?:08|40|53|54|57|58)/;

// ECONNREFUSED and its like; Node's own complaints about its callers begin with ERR_.
const SYSTEM_ERROR = /^E(?!RR_)[A-Z_]+$/;

// pg 8 and pg-pool 3 have no codes for what happens to a connection, only words.
const POOL_FAULT = /timeout exceeded when trying to connect|Connection terminated|Query read timeout|connection error/i;
