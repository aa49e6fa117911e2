import { createHash } from "node:crypto";
import pg from "pg";
import type { Sql } from "sql-template-tag";
import type { Log } from "../process/log.js";
import type { Metrics } from "../process/metrics.js";
import { traced } from "../process/tracing.js";
import {
  DatabaseOutage,
  isDemoted,
  type Outdated,
  outdatedConnections,
  statementError,
  translated,
  wrapConnect,
} from "./outage.js";
import { isRefusedStart, type Session, sessionOptions } from "./session.js";
import { shareConnections } from "./share-connections.js";

/** A part's database: a pool of connections, and a small one for lists. */
export interface Database {
  readonly pool: pg.Pool;
  /** A separate pool for lists. However many lists are requested, all other statements keep their connections. */
  readonly listPool: pg.Pool;
  /**
   * Runs one statement, prepared once per connection unless a pooler prevents that. Its text must come from the code, never from data,
   * because it is cached permanently.
   */
  run<Row>(statement: Sql): Promise<Row[]>;
  /** Runs one statement on the connections for lists. `replan` is for a statement whose best plan depends on the size of its tables. */
  runList<Row>(statement: Sql, options?: { replan: true }): Promise<Row[]>;
  /** Waits for the statements that are running, then closes every connection. */
  close(): Promise<void>;
}

const LIST_CONNECTIONS = 2;

// A list waits as long as a read may take.
const CONNECT_MS = 1_000;
const LIST_CONNECT_MS = 4_000;

/**
 * Opens at most `max` connections (10), two of them for lists; with a `max` below three, one more than `max`. The first statement opens
 * the first connection. A statement waits `connectMs` (1,000) for its connection, a list 4,000 ms. Each connection reads the URL from `urlFile`
 * again, if there is one.
 */
export function openDatabase(
  url: string,
  options: { urlFile?: string; max?: number; connectMs?: number; log: Log },
): Database {
  const { max = 10, connectMs = CONNECT_MS } = options;
  const session: Session = { bare: false, settled: false, prepares: new WeakSet() };
  const of = { ...options, session, outdated: outdatedConnections() };
  const pool = openPool(url, { ...of, max: Math.max(1, max - LIST_CONNECTIONS), connectMs });
  const listPool = openPool(url, { ...of, max: Math.min(max, LIST_CONNECTIONS), connectMs: LIST_CONNECT_MS });
  return {
    pool,
    listPool,
    run: (statement) => tracedStatement(pool, session, statement),
    runList: (statement, options) => tracedStatement(listPool, session, statement, options),
    close: async () => void (await Promise.all([pool.end(), listPool.end()])),
  };
}

/** A connection is closed after this time without a statement. */
const IDLE_MS = 300_000;

// An idle connection to a server that has vanished is closed after three times as long.
const KEEP_ALIVE_MS = 5_000;

interface PoolOptions {
  urlFile?: string;
  max: number;
  connectMs: number;
  log: Log;
  session: Session;
  outdated: Outdated;
}

function openPool(url: string, options: PoolOptions): pg.Pool {
  const { outdated, session } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max,
    connectionTimeoutMillis: options.connectMs,
    // Connections are kept after a burst, because a new one costs a login and a new plan for each of its statements.
    idleTimeoutMillis: IDLE_MS,
    // This limit is for a server that stops responding: otherwise the connection would be held until TCP times out.
    query_timeout: 6_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: String(options.log.bindings().part ?? "shipping"),
    types: { getTypeParser },
    ...sessionOptions(session, options.urlFile),
  });
  // Without a listener, a connection that PostgreSQL closes while it is idle would end the process.
  pool.on("error", (err) => {
    if (!pool.ending) options.log.warn({ err }, "lost an idle database connection");
  });
  wrapConnect(pool, (connect) => {
    if (session.settled) return connect();
    // Several connections may be refused at the same time.
    const wasBare = session.bare;
    return connect().catch((error) => {
      if (wasBare || !isRefusedStart(error)) throw error;
      session.bare = true;
      return connect();
    });
  });
  shareConnections(pool, options.log);
  outdated.watch(pool);
  // No connection came free in time, or none could be opened, so the statement was not sent.
  pool.connect = translated(pool.connect.bind(pool), (error) => {
    // A pooler was introduced after the first connection. The next connection will be opened accordingly.
    if (isRefusedStart(error)) session.bare = true;
    return new DatabaseOutage(error, false);
  });
  pool.query = translated(pool.query.bind(pool), statementError);
  pool.on("connect", (client) => {
    client.query = translated(client.query.bind(client), (error) => {
      const outage = statementError(error);
      outdated.judge(outage);
      return outage;
    });
    // The pool does not listen to a connection that is checked out, which may emit a second error after its query has failed.
    client.on("error", () => {});
  });
  return pool;
}

/** Returns the SQLSTATE and the constraint's name, such as `23505` and `labels_pkey`, if a statement failed because of a constraint. */
export function violated(error: unknown): { code: string; constraint: string } | undefined {
  if (!(error instanceof pg.DatabaseError) || !error.code || !error.constraint) return undefined;
  return { code: error.code, constraint: error.constraint };
}

/**
 * Returns true if PostgreSQL refused a statement because of its data or a constraint (SQLSTATE classes 22 and 23). The statement was
 * certainly rolled back, and may succeed without the row at fault.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? "");
}

// The statement's text comes from the code and holds no data. Its values are left out.
function tracedStatement<Row>(
  pool: pg.Pool,
  session: Session,
  statement: Sql,
  { replan = false }: { replan?: boolean } = {},
): Promise<Row[]> {
  const attributes = { "db.system.name": "postgresql", "db.query.text": statement.text };
  return traced("sql", { kind: "client", attributes }, () =>
    runStatement<Row>(pool, statement, (client) => !replan && session.prepares.has(client)),
  );
}

async function runStatement<Row>(
  pool: pg.Pool,
  statement: Sql,
  isPrepared: (client: pg.PoolClient) => boolean,
): Promise<Row[]> {
  const text = statement.text;
  const values = statement.values.map((value) => (isByteaArray(value) ? byteaArray(value) : value));
  const client = await pool.connect();
  try {
    const name = isPrepared(client) ? statementName(text) : "";
    const { rows } = await client.query({ name, text, values });
    client.release();
    return rows;
  } catch (error) {
    client.release(!leavesConnectionGood(error));
    throw error;
  }
}

// `pool.query` would drop the connection after any error. A refused statement does not harm its connection. After class 57P the connection
// is closed, and one to a demoted server is useless.
function leavesConnectionGood(error: unknown): boolean {
  const answer = error instanceof DatabaseOutage ? error.cause : error;
  return answer instanceof pg.DatabaseError && !answer.code?.startsWith("57P") && !isDemoted(error);
}

const names = new Map<string, string>();

function statementName(text: string): string {
  let name = names.get(text);
  if (!name) {
    name = createHash("sha256").update(text).digest("base64url").slice(0, 22);
    names.set(text, name);
  }
  return name;
}

// bigint columns become BigInt, because pg's own strings would silently compare and add wrongly.
function getTypeParser(oid: number, format?: "text" | "binary") {
  if (oid === pg.types.builtins.INT8 && format !== "binary") return BigInt;
  return pg.types.getTypeParser(oid, format);
}

/** Measures this process's connections to its database. */
export function measurePool(metrics: Metrics, { pool, listPool }: Pick<Database, "pool" | "listPool">): void {
  const help = {
    database_pool_in_use: "Database connections in use by statements.",
    database_pool_waiting: "Statements waiting for a connection. They are refused after one second.",
    database_pool_max: "Maximum connections of the pool.",
    database_list_pool_in_use: "Database connections in use by lists.",
    database_list_pool_waiting: "Lists waiting for a connection. They are refused after four seconds.",
  };
  metrics.gauges(help, () => ({
    database_pool_in_use: pool.totalCount - pool.idleCount,
    database_pool_waiting: pool.waitingCount,
    database_pool_max: pool.options.max,
    database_list_pool_in_use: listPool.totalCount - listPool.idleCount,
    database_list_pool_waiting: listPool.waitingCount,
  }));
}

const BYTEA = 17;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;

/**
 * Encodes a parameter of type `bytea[]` in PostgreSQL's binary format, which the driver sends unchanged. The driver would turn an array
 * into text with two digits per byte, which costs several times as much to write and to parse.
 */
function byteaArray(values: readonly (Uint8Array | null)[]): Buffer {
  const bytes = values.reduce((sum, value) => sum + LENGTH_BYTES + (value?.length ?? 0), HEADER_BYTES);
  const encoded = Buffer.allocUnsafe(bytes);
  const [dimensions, first] = [1, 1];
  let at = 0;
  const add = (integer: number) => {
    at = encoded.writeInt32BE(integer, at);
  };
  for (const integer of [dimensions, Number(values.includes(null)), BYTEA, values.length, first]) add(integer);
  for (const value of values) {
    add(value ? value.length : NULL);
    if (!value) continue;
    encoded.set(value, at);
    at += value.length;
  }
  return encoded;
}

/** Returns true if a parameter is an array of bytes. An array that contains only nulls does not count, because it has no type. */
export function isByteaArray(value: unknown): value is readonly (Uint8Array | null)[] {
  const isBytesOrNull = (element: unknown) => element === null || element instanceof Uint8Array;
  return Array.isArray(value) && value.some((element) => element !== null) && value.every(isBytesOrNull);
}
