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

/** Replaces the function by which a pool hands out connections. */
export function wrapConnect(
  pool: pg.Pool,
  wrapped: (connect: () => Promise<pg.PoolClient>) => Promise<pg.PoolClient>,
): void {
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  // pg-pool's own `query` passes a callback.
  pool.connect = ((done?: (error: Error | undefined, client?: pg.PoolClient, release?: unknown) => void) => {
    if (!done) return wrapped(connect);
    return void wrapped(connect).then(
      (client) => done(undefined, client, client.release),
      (error) => done(error),
    );
  }) as pg.Pool["connect"];
}

/** Tells pools which of their connections lead to a server that has failed over. */
export interface Outdated {
  /** Makes a pool close such connections instead of handing them out. */
  watch(pool: pg.Pool): void;
  /** Concludes from a statement's error whether the connections opened so far are still good. */
  judge(error: Error): void;
}

interface Connection {
  /** The round in which the connection was opened or last answered. */
  round: number;
  answers(): Promise<boolean>;
}

const ANSWER_MS = 1_000;

/**
 * After a failover, the open connections of a pool lead to a server that takes no writes or does not respond. Finding out would cost one
 * statement for each connection, so the finding of one applies to all. A server that takes no writes is not a primary. A server that did
 * not answer in time may only be waiting for something, so it is asked again, on another connection, before the others are closed.
 */
export function outdatedConnections(): Outdated {
  const connections = new WeakMap<pg.PoolClient, Connection>();
  let round = 0;
  // Connections of rounds before `doubted` are in doubt; those of rounds before `gone` lead to a server that is gone.
  let doubted = 0;
  let gone = 0;

  async function isUpToDate(connection: Connection): Promise<boolean> {
    if (connection.round < gone) return false;
    if (connection.round >= doubted) return true;
    const asked = doubted;
    if (await connection.answers()) connection.round = asked;
    else gone = Math.max(gone, asked);
    return connection.round >= gone;
  }

  function watch(pool: pg.Pool): void {
    pool.on("connect", (client) => {
      const query = client.query.bind(client);
      connections.set(client, { round, answers: () => takesWrites(query) });
    });
    wrapConnect(pool, async (connect) => {
      for (;;) {
        const client = await connect();
        const connection = connections.get(client);
        if (!connection || (await isUpToDate(connection))) return client;
        client.release(true);
      }
    });
  }

  return {
    watch,
    judge(error) {
      if (isDemoted(error)) gone = ++round;
      else if (isSilence(error)) doubted = ++round;
    },
  };
}

function takesWrites(query: pg.PoolClient["query"]): Promise<boolean> {
  const question = { text: "SHOW transaction_read_only", query_timeout: ANSWER_MS };
  return query(question).then(
    ({ rows }) => rows[0]?.transaction_read_only === "off",
    () => false,
  );
}

/** Returns true if the server said that it takes no writes (25006), which a primary never says. */
export function isDemoted(error: unknown): boolean {
  const answer = error instanceof DatabaseOutage ? error.cause : error;
  return answer instanceof Error && (answer as { code?: string }).code === "25006";
}

// pg reports an overdue answer with this message, although the server limits every statement to less.
function isSilence(error: unknown): boolean {
  return error instanceof DatabaseOutage && error.cause.message === "Query read timeout";
}
