import pg from "pg";

/**
 * PostgreSQL could not be reached, gave up on a statement, or was lost while it ran. pg 8 and pg-pool 3 report this with a SQLSTATE, with
 * one of Node's codes, or only with a message; our pools report it with this class. It has no `code`, because Prisma (7.10) replaces errors
 * that have one with its own.
 */
export class DatabaseOutage extends Error {
  constructor(
    override readonly cause: Error,
    /** False if the statement certainly had no effect. */
    readonly mayHaveRun: boolean,
  ) {
    super(cause.message);
    this.name = "DatabaseOutage";
  }
}

/** Turns a statement's error into an outage, if it is one. */
export function statementError(error: Error): Error {
  if (error instanceof DatabaseOutage) return error;
  const { code = "" } = error as NodeJS.ErrnoException;
  if (error instanceof pg.DatabaseError) {
    return OUTAGE_STATES.test(code) ? new DatabaseOutage(error, !ROLLED_BACK.test(code)) : error;
  }
  return SYSTEM_ERROR.test(code) || LOST.test(error.message) ? new DatabaseOutage(error, true) : error;
}

// These are the classes of connections, rollback, resources, limits, operator intervention and system errors; a server that takes no
// writes, because it is not (or no longer) a primary; and a lock that did not come free within the `lock_timeout` that an operator has set.
const OUTAGE_STATES = /^(?:08|25006|40|53|54|55P03|57|58)/;

// These mean that the statement was cancelled (usually by a time-out), had a deadlock, did not wait for a lock, or was not begun. After any
// other error, above all 57P01, the statement may have committed.
const ROLLED_BACK = /^(?:57014|40P01|55P03|25006)$/;

// This matches ECONNRESET and the like. Node's own complaints about its callers begin with ERR_.
const SYSTEM_ERROR = /^E(?!RR_)[A-Z_]+$/;

const LOST = /^(?:Connection terminated|Query read timeout|Client has encountered a connection error)/;

/** Returns the SQLSTATE of PostgreSQL's answer; "" if there was none. */
export function sqlState(error: unknown): string {
  const answer = error instanceof DatabaseOutage ? error.cause : error;
  return answer instanceof pg.DatabaseError ? (answer.code ?? "") : "";
}

/** Returns true if the server said that it takes no writes, which a primary never says. */
export function isDemoted(error: unknown): boolean {
  return sqlState(error) === "25006";
}

/** Returns true if the server did not answer, although it limits every statement to less than pg's time-out, which has this message. */
export function isSilence(error: unknown): boolean {
  return error instanceof DatabaseOutage && error.cause.message === "Query read timeout";
}

/**
 * Returns true if PostgreSQL refused a statement because of its data or a constraint (SQLSTATE classes 22 and 23). The statement was
 * certainly rolled back, and may succeed without the row at fault.
 */
export function isRefusal(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error));
}

/** Returns true after a refused statement, which does not harm its connection. After class 57P the connection is closed. */
export function leavesConnectionGood(error: unknown): boolean {
  const state = sqlState(error);
  return state !== "" && !state.startsWith("57P");
}
