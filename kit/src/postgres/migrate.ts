import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type pg from "pg";
import sql from "sql-template-tag";
import { type Log, silentLog } from "../process/log.js";
import { requirePostgres, Unsupported } from "../process/supported-versions.js";
import { RELEASE } from "../release.js";
import { applyMigration, type Migration, PATIENCE, type Patience } from "./apply-migration.js";
import type { Database } from "./database.js";
import { isRefusedStart } from "./pooler.js";
import { guardContractions } from "./releases/contractions.js";
import { MigrationClient, requireEncoding } from "./session.js";

export interface Migrated {
  applied: string[];
  /**
   * The migrations whose script has changed since they were applied. The database keeps the result of the earlier script, as with Prisma's
   * CLI.
   */
  edited: string[];
}

/** A server that all parts ask at once takes seconds for a connection on a busy machine. */
const CONNECT_MS = 15_000;

/**
 * Applies the migrations of `directory/migrations` that the database lacks, in the order of their names. The database may be in use:
 * statements that need a lock wait for it in short turns, so nothing else waits for long. Any number of processes may do this at once. The
 * history has the format of Prisma's CLI, so each can continue the other's work. Refuses a contraction while code that needs the old form is in
 * use, a server that is too old, a pooler, and a database
 * that contains the tables or the history of something else.
 */
export async function migrate(options: {
  url: string;
  directory: string;
  log?: Log;
  patience?: Partial<Patience>;
  /** The release whose migrations these are. The default is that of this code. */
  release?: string;
}): Promise<Migrated> {
  const { log = silentLog(), release = RELEASE } = options;
  const patience = { ...PATIENCE, ...options.patience };
  const migrations = await readMigrations(options.directory);
  const client = new MigrationClient({ connectionString: options.url, connectionTimeoutMillis: CONNECT_MS });
  // Without a listener, a connection that is cut between two statements would end the process. The next statement reports the cut.
  client.on("error", () => {});
  await client.connect().catch((error) => {
    throw isRefusedStart(error) ? pooled() : error;
  });
  try {
    if (await client.isPooled()) throw pooled();
    await requirePostgres(client);
    const { rows } = await client.query<{ server_encoding: string }>("SHOW server_encoding");
    requireEncoding(rows[0]!.server_encoding);
    await lockMigrations(client, log);
    const history = await openHistory(client, migrations);
    const missing = migrations.filter(({ name }) => !history.has(name));
    const guard = await guardContractions({ client, log, patience, release }, { missing, isEmpty: history.size === 0 });
    for (const migration of missing) {
      await guard.before(migration);
      await client.query(`SET lock_timeout = ${patience.lockMs}`);
      await applyMigration({ client, log, patience }, migration);
    }
    await guard.done();
    const edited = migrations.filter(({ name, checksum }) => (history.get(name) ?? checksum) !== checksum);
    return { applied: missing.map(({ name }) => name), edited: edited.map(({ name }) => name) };
  } finally {
    await client.end();
  }
}

// A shared session would keep the lock and the settings of a migration and pass them on to others.
function pooled(): Unsupported {
  return new Unsupported(
    "The database is reached through a connection pooler. Migrations need a session of their own: set MIGRATION_DATABASE_URL to the URL of PostgreSQL itself.",
  );
}

/** Returns the migrations of `directory/migrations` that the database lacks. Further ones in the database are fine: that is a rollback. */
export async function unappliedMigrations(db: Database, directory: string): Promise<string[]> {
  const [table] = await db.run<{ present: boolean }>(
    sql`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present`,
  );
  const rows = table?.present
    ? await db.run<{ name: string }>(
        sql`SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
      )
    : [];
  const applied = new Set(rows.map((row) => row.name));
  return (await migrationNames(directory)).filter((name) => !applied.has(name));
}

// Prisma's CLI takes the same lock, so it and this function wait for each other.
const PRISMA_LOCK = 72_707_369;

const LOCK_POLL_MS = 250;

/**
 * Takes the lock, and waits while another process migrates. It polls, because CREATE INDEX CONCURRENTLY waits for every running statement, including one that waits
 * for this lock.
 */
async function lockMigrations(client: pg.Client, log: Log): Promise<void> {
  for (let waits = 0; ; waits++) {
    const { rows } = await client.query<{ mine: boolean }>("SELECT pg_try_advisory_lock($1) AS mine", [PRISMA_LOCK]);
    if (rows[0]!.mine) return;
    if (waits === 0) log.info("another migration is under way; waiting for it");
    await setTimeout(LOCK_POLL_MS);
  }
}

/** Returns the checksums of the applied migrations, by name. The caller holds the lock. */
async function openHistory(client: pg.Client, migrations: readonly Migration[]): Promise<Map<string, string>> {
  await createHistory(client);
  await requireKnown(client, migrations);
  // Prisma's CLI leaves the row of a failed migration. The script was one transaction, which was rolled back, so it may run again.
  await client.query(
    "UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL",
  );
  const { rows } = await client.query<{ name: string; checksum: string }>(
    "SELECT migration_name AS name, checksum FROM _prisma_migrations WHERE rolled_back_at IS NULL",
  );
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

// Migrations that are newer than ours were applied before a rollback. Others come from a schema that ours does not continue.
async function requireKnown(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  const names = migrations.map(({ name }) => name);
  const { rows } = await client.query<{ name: string }>(
    `SELECT migration_name AS name FROM _prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL AND migration_name <> ALL ($1) AND migration_name COLLATE "C" < $2 ORDER BY name`,
    [names, names.at(-1)],
  );
  const [first, ...others] = rows.map(({ name }) => name);
  if (first === undefined) return;
  throw new Unsupported(
    `The database has migrations that this release does not have (${others.length > 0 ? `${first} and ${others.length} more` : first}), so it cannot be upgraded. Delete DATA_DIR, or use an empty database.`,
  );
}

async function createHistory(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ present: boolean; tables: boolean }>(`
    SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present,
      EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema()) AS tables`);
  if (rows[0]!.present) return;
  // The likely cause is a wrong URL.
  if (rows[0]!.tables)
    throw new Error("The database has tables but no migration history, so it belongs to another application.");
  // Prisma's schema engine (7.10) creates the table in the same way.
  await client.query(`
    CREATE TABLE _prisma_migrations (
      id                      VARCHAR(36) PRIMARY KEY NOT NULL,
      checksum                VARCHAR(64) NOT NULL,
      finished_at             TIMESTAMPTZ,
      migration_name          VARCHAR(255) NOT NULL,
      logs                    TEXT,
      rolled_back_at          TIMESTAMPTZ,
      started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
      applied_steps_count     INTEGER NOT NULL DEFAULT 0
    )`);
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = await migrationNames(directory);
  return Promise.all(
    names.map(async (name) => {
      const script = await readFile(join(directory, "migrations", name, "migration.sql"), "utf8");
      return { name, script, checksum: createHash("sha256").update(script).digest("hex") };
    }),
  );
}

async function migrationNames(directory: string): Promise<string[]> {
  const entries = await readdir(join(directory, "migrations"), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
