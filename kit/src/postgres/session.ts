import { randomUUID } from "node:crypto";
import pg from "pg";
import { findProblem, readDatabaseUrl } from "../process/database-url.js";
import { Unsupported } from "../process/supported-versions.js";
import { sqlState } from "./outage.js";
import { endSessions, type Session, SettingsStored, storeSettings } from "./pooler.js";
import { sessionName } from "./releases/contractions.js";

/**
 * The settings on which results depend: how values are written and read, what concurrent statements see of each other, and that
 * acknowledged writes are on disk.
 */
const RESULTS = {
  array_nulls: "on",
  bytea_output: "hex",
  default_transaction_isolation: "read committed",
  extra_float_digits: "1",
  intervalstyle: "postgres",
  standard_conforming_strings: "on",
  synchronous_commit: "on",
};

/** The parameters of a connection's start that poolers pass on, in the form in which PostgreSQL reports them. */
const FORWARDED = { DateStyle: "ISO, MDY", TimeZone: "UTC" };

/**
 * A connection plans a statement once, for any values, and keeps the plan until one of its tables is analyzed. So plans are made for full
 * tables, with their indexes, even if a table was empty when the statement first ran. All our statements find their rows by an index.
 */
const PLANNING = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
};

export const PART = { ...RESULTS, ...PLANNING, statement_timeout: "5s", idle_in_transaction_session_timeout: "5s" };

// The role of migrations may be the part's, which has the part's settings behind a pooler.
const MIGRATION = {
  ...RESULTS,
  ...Object.fromEntries(Object.keys(PLANNING).map((name) => [name, name === "plan_cache_mode" ? "auto" : "on"])),
  statement_timeout: "0",
  idle_in_transaction_session_timeout: "0",
};

const ANSWER_MS = 1_000;

/** A connection on which its settings hold, regardless of the server, the database, the role, the URL and PGOPTIONS. */
export abstract class SessionClient extends pg.Client {
  /** Returns the settings; undefined behind a pooler that refuses them. */
  protected abstract settings(): Readonly<Record<string, string>> | undefined;

  // pg (8.23) has no option for sending other startup parameters.
  getStartupConf(): Record<string, string | undefined> {
    const { connectionParameters: given } = this as unknown as { connectionParameters: Record<string, string> };
    const { user, database } = given;
    const application_name = sessionName(given.application_name);
    const start = { user, database, ...(application_name && { application_name }), ...FORWARDED };
    const settings = this.settings();
    if (!settings) return start;
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`);
    // If a setting is given twice, PostgreSQL takes the last value, which is ours.
    return { ...start, options: [given.options, ...options].filter(Boolean).join(" ") };
  }

  /** Returns true if a pooler is in between: PostgreSQL gives a connection the number of its process, a pooler one of its own. */
  async isPooled(): Promise<boolean> {
    return (await this.readServer()).isPooled;
  }

  /** Reads whether a pooler is in between, and how many connections the server takes and has. */
  async readServer(): Promise<{ isPooled: boolean } & ServerConnections> {
    const [row] = await this.ask({ text: `SELECT pg_backend_pid() AS pid, ${SERVER_CONNECTIONS}` });
    const { pid, server, most, used } = row as ServerConnections & { pid: number };
    return { isPooled: pid !== (this as unknown as { processID: number }).processID, server, most, used };
  }

  /**
   * Returns true if a pooler keeps track of prepared statements, for which it gives them names of its own (PgBouncer since 1.21, if
   * configured).
   */
  async tracksStatements(): Promise<boolean> {
    const name = randomUUID();
    const text = `SELECT name FROM pg_prepared_statements WHERE statement LIKE '%${name}%'`;
    const rows = await this.ask({ name, text });
    return rows.length > 0 && rows.every((row) => row.name !== name);
  }

  protected async ask(question: pg.QueryConfig): Promise<pg.QueryResultRow[]> {
    const { rows } = await super.query({ ...question, query_timeout: ANSWER_MS } as pg.QueryConfig).catch((error) => {
      throw error.message === "Query read timeout" ? new NoSession() : error;
    });
    return rows;
  }
}

/** The connections of a server. */
export interface ServerConnections {
  /** Tells servers apart. */
  server: string;
  /** How many the server takes, without those that it reserves for others than parts. */
  most: number;
  used: number;
}

// Everyone may read this. A process without a database, such as the checkpointer, uses no connection.
const SERVER_CONNECTIONS = `
  pg_postmaster_start_time()::text AS server,
  pg_catalog.current_setting('max_connections')::int - pg_catalog.current_setting('superuser_reserved_connections')::int
    - coalesce(pg_catalog.current_setting('reserved_connections', true), '0')::int AS most,
  (SELECT count(datid)::int FROM pg_stat_activity) AS used`;

/** Enough for ten replicas at once, each of which begins with a connection for statements and one for lists. */
const LEFT_FREE = 20;

/**
 * The last connections of a server, 20 or a tenth, are left to processes that have none yet, such as the next replica, a migration or `psql`;
 * of a small server, half of all.
 */
export function requireRoom({ most, used }: ServerConnections): void {
  const free = Math.min(Math.floor(most / 2), Math.max(LEFT_FREE, Math.floor(most / 10)));
  if (used <= most - free) return;
  throw new NoRoom(
    `The server has ${used} of at most ${most} connections. The last ${free} are left to processes without any.`,
  );
}

/** A pool with connections opens no further one, because the server has few left. */
export class NoRoom extends Error {
  override name = "NoRoom";
}

/** The connection of a migration. */
export class MigrationClient extends SessionClient {
  protected override settings() {
    return MIGRATION;
  }
}

/** Reads the URL from a file; while the file is being replaced, or if its URL is invalid, the previous one holds. */
export function readLatest(file: string): string {
  try {
    const url = readDatabaseUrl(file);
    const problem = findProblem(url);
    if (problem) throw new Error(`The URL in ${file} ${problem}.`);
    latest.set(file, url);
  } catch (error) {
    if (!latest.has(file)) throw error;
  }
  return latest.get(file)!;
}

const latest = new Map<string, string>();

/** The connection was accepted, but its first query was not answered. */
export class NoSession extends Error {
  constructor() {
    super(
      "No session within a second: the connection was accepted, but the sessions of the pooler's pool are all in use, or PostgreSQL does not respond.",
    );
    this.name = "NoSession";
  }
}

interface Found {
  encoding: string;
  /** The role whose rights count, and the one that logged in, whose settings a session begins with. */
  role: string;
  login: string;
  database: string;
  schema: string | null;
  path: string;
  /** The schemas that have a history of migrations. */
  histories: string[];
  settings: Record<string, string>;
  /** The settings of the role that logged in, in this database, such as `jit=off`. */
  stored: string[];
}

/**
 * Throws if the database or its sessions are not as the part needs them. Behind a pooler that does not pass settings on, `store` stores them
 * for the role that logged in, in this database, which needs no privileges, and ends the sessions that began without them.
 */
export async function requireSession(session: Session, { store = false } = {}): Promise<void> {
  const found = await readSession(session);
  requireEncoding(found.encoding);
  const [history] = found.histories;
  if (history && !found.histories.includes(found.schema ?? "")) {
    throw new Unsupported(
      `The tables are in schema ${history}, but the search_path of role ${found.role} (${found.path}) leads to ${found.schema ?? "no schema"}.`,
    );
  }
  const wrong = Object.entries(PART).filter(([name, value]) => found.settings[name] !== value);
  if (wrong.length === 0) return;
  const unstored = Object.entries(PART).filter(([name, value]) => !found.stored.includes(`${name}=${value}`));
  if (store && unstored.length > 0) await storeSettings(session, found.database, unstored);
  if (store) await endSessions(session, unstored.length > 0);
  const names = wrong.map(([name]) => `${name} is ${found.settings[name]}`).join(", ");
  const reason = `A pooler does not pass on the settings of sessions (${names}).`;
  const owner = `role ${found.login} in database ${found.database}`;
  if (store)
    throw new SettingsStored(`${reason} They are stored for ${owner}; the pooler's earlier sessions are being ended.`);
  throw new Unsupported(`${reason} A part stores them for ${owner} when it starts.`);
}

/** Throws unless the database can store every letter. */
export function requireEncoding(encoding: string): void {
  if (encoding === "UTF8") return;
  throw new Unsupported(
    `The database has the encoding ${encoding}. Create it with TEMPLATE template0 ENCODING 'UTF8': the encoding of a database cannot be changed.`,
  );
}

async function readSession(session: Session): Promise<Found> {
  const { rows } = await session.query<Found>({
    text: `
      SELECT pg_catalog.current_setting('server_encoding') AS encoding, current_user::text AS role,
        session_user::text AS login, current_database()::text AS database, current_schema()::text AS schema,
        pg_catalog.current_setting('search_path') AS path,
        ARRAY(SELECT schemaname::text FROM pg_tables WHERE tablename = '_prisma_migrations') AS histories,
        (SELECT json_object_agg(name, pg_catalog.current_setting(name)) FROM unnest($1::text[]) AS name) AS settings,
        coalesce((SELECT setconfig FROM pg_db_role_setting
          WHERE setrole = (SELECT oid FROM pg_roles WHERE rolname = session_user) AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
        ), '{}') AS stored`,
    values: [Object.keys(PART)],
  });
  return rows[0]!;
}

/** Returns pg's parser of a type. A bigint becomes a BigInt, because pg's own strings would silently compare and add wrongly. */
export function getTypeParser(oid: number, format?: "text" | "binary") {
  if (oid === pg.types.builtins.INT8 && format !== "binary") return BigInt;
  return pg.types.getTypeParser(oid, format);
}

/** Returns true if the server, the role or a pooler has no further connection. */
export function hasNoMore(error: unknown): boolean {
  return error instanceof NoSession || error instanceof NoRoom || sqlState(error) === "53300";
}
