import pg from "pg";

/**
 * PostgreSQL could not be reached, gave a statement up, or was lost while it ran. pg 8 and pg-pool 3 say so by a SQLSTATE, by a code of
 * Node's, or in words alone; our pools say it by this class. It has no `code`, since Prisma (7.10)
 * replaces errors that have one by its own.
 */
export class DatabaseOutage extends Error {
  constructor(
    override readonly cause: Error,
    /** False where the statement is certain to have changed nothing. */
    readonly mayHaveRun: boolean,
  ) {
    super(cause.message);
    this.name = "DatabaseOutage";
  }
}

/** Makes outages of what goes wrong before a statement is sent: no connection came free in time, or there was none to be had. */
export function connectionError(error: Error): Error {
  return new DatabaseOutage(error, false);
}

/** Makes an outage of a statement's error, if it is one. */
export function statementError(error: Error): Error {
  if (error instanceof DatabaseOutage) return error;
  const code = codeOf(error) ?? "";
  if (error instanceof pg.DatabaseError) {
    return OUTAGE_STATES.test(code) ? new DatabaseOutage(error, !ROLLED_BACK.test(code)) : error;
  }
  return SYSTEM_ERROR.test(code) || LOST.test(error.message) ? new DatabaseOutage(error, true) : error;
}

// Connection, rollback, resources, limits, operator's intervention, system; a server that takes no writes: it is no primary (any more); and
// a lock that did not come free in the `lock_timeout` that an operator has set.
const OUTAGE_STATES = /^(?:08|25006|40|53|54|55P03|57|58)/;

// Cancelled, by a time-out above all, deadlock, a lock not waited for, and not begun. After any other (57P01 above all) the statement may have committed.
const ROLLED_BACK = /^(?:57014|40P01|55P03|25006)$/;

// ECONNRESET and its like; Node's own complaints about its callers begin with ERR_.
const SYSTEM_ERROR = /^E(?!RR_)[A-Z_]+$/;

const LOST = /^(?:Connection terminated|Query read timeout|Client has encountered a connection error)/;

function codeOf(error: Error): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** The same function, whose errors, by promise or by callback, are those that `translate` makes of them. */
export function translated<F>(call: F & ((...args: never[]) => unknown), translate: (error: Error) => Error): F {
  const translating = (...args: unknown[]) => {
    const last = args.at(-1);
    if (typeof last === "function") {
      const callback = (error: Error | undefined, ...rest: unknown[]) => last(error && translate(error), ...rest);
      return Reflect.apply(call, undefined, [...args.slice(0, -1), callback]);
    }
    const result = Reflect.apply(call, undefined, args);
    return result instanceof Promise ? result.catch((error) => Promise.reject(translate(error))) : result;
  };
  return translating as F;
}
