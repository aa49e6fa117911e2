import { createHash } from "node:crypto";
import pg from "pg";
import type { Sql } from "sql-template-tag";
import type { Log } from "../process/log.js";
import type { Metrics } from "../process/metrics.js";
import { traced } from "../process/tracing.js";
import { PartPool } from "./pool.js";
import { Route } from "./route.js";

/** A part's database: a pool of connections, and a small one for lists. */
export interface Database {
  readonly pool: pg.Pool;
  /** A separate pool for lists. However many lists are requested, all other statements keep their connections. */
  readonly listPool: pg.Pool;
  /** The most connections that both open. */
  readonly maxConnections: number;
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
  const shared = { ...options, route: new Route() };
  const pool = new PartPool(url, { ...shared, max: Math.max(1, max - LIST_CONNECTIONS), connectMs });
  const listPool = new PartPool(url, { ...shared, max: Math.min(max, LIST_CONNECTIONS), connectMs: LIST_CONNECT_MS });
  // A pool's own maximum shrinks while its server has no more.
  const maxConnections = Math.max(1, max - LIST_CONNECTIONS) + Math.min(max, LIST_CONNECTIONS);
  return {
    pool,
    listPool,
    maxConnections,
    run: (statement) => runStatement(pool, statement),
    runList: (statement, options) => runStatement(listPool, statement, options),
    close: async () => void (await Promise.all([pool.end(), listPool.end()])),
  };
}

/** Returns the SQLSTATE and the constraint's name, such as `23505` and `labels_pkey`, if a statement failed because of a constraint. */
export function violated(error: unknown): { code: string; constraint: string } | undefined {
  if (!(error instanceof pg.DatabaseError) || !error.code || !error.constraint) return undefined;
  return { code: error.code, constraint: error.constraint };
}

// The statement's text comes from the code and holds no data. Its values are left out of the trace.
function runStatement<Row>(pool: PartPool, statement: Sql, { replan = false } = {}): Promise<Row[]> {
  const { text } = statement;
  const attributes = { "db.system.name": "postgresql", "db.query.text": text };
  return traced("sql", { kind: "client", attributes }, () => {
    const values = statement.values.map((value) => (isByteaArray(value) ? byteaArray(value) : value));
    return pool.lend(async (connection) => {
      const name = connection.prepares && !replan ? statementName(text) : "";
      return (await connection.query({ name, text, values })).rows;
    });
  });
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
