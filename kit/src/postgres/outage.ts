import pg from "pg";

/**
 * PostgreSQL could not be reached, gave up on a statement, or was lost while it ran. pg 8 and pg-pool 3 report this with a SQLSTATE, with
 * one of Node's codes, or only with a message; our pools report it with this class. It has no `code`, because Prisma (7.10) replaces errors
 * that have one with its own.
 */
export class DatabaseOutage extends Error {
  constructor(
    override readonly cause: Error,
    /** False if the statement certainly changed nothing. */
    readonly mayHaveRun: boolean,
  ) {
    super(cause.message);
    this.name = "DatabaseOutage";
  }
}

/** Turns an error that occurs before a statement is sent into an outage: no connection came free in time, or none could be opened. */
export function connectionError(error: Error): Error {
  return new DatabaseOutage(error, false);
}

/** Turns a statement's error into an outage, if it is one. */
export function statementError(error: Error): Error {
  if (error instanceof DatabaseOutage) return error;
  const code = codeOf(error) ?? "";
  if (error instanceof pg.DatabaseError) {
    return OUTAGE_STATES.test(code) ? new DatabaseOutage(error, !ROLLED_BACK.test(code)) : error;
  }
  return SYSTEM_ERROR.test(code) || LOST.test(error.message) ? new DatabaseOutage(error, true) : error;
}

// Connection, rollback, resources, limits, operator intervention, system; a server that takes no writes, because it is not (or no longer) a
// primary; and a lock that did not come free within the `lock_timeout` that an operator has set.
const OUTAGE_STATES = /^(?:08|25006|40|53|54|55P03|57|58)/;

// Cancelled (usually by a time-out), deadlock, a lock that was not waited for, and not begun. After any other error, above all 57P01, the
// statement may have committed.
const ROLLED_BACK = /^(?:57014|40P01|55P03|25006)$/;

// ECONNRESET and the like. Node's own complaints about its callers begin with ERR_.
const SYSTEM_ERROR = /^E(?!RR_)[A-Z_]+$/;

const LOST = /^(?:Connection terminated|Query read timeout|Client has encountered a connection error)/;

function codeOf(error: Error): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Wraps a function: `translate` converts its errors, which may come by promise or by callback. */
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
