import { setTimeout } from "node:timers/promises";
import pg from "pg";
import type { Log } from "../process/log.js";
import { sqlState } from "./outage.js";

/** A migration, read from its folder. */
export interface Migration {
  name: string;
  script: string;
  /** SHA-256 of the script. */
  checksum: string;
}

/** The waits of migrations on a database that is in use, in milliseconds. */
export interface Patience {
  /** The wait of a statement for a lock. Statements queued behind it wait as long. */
  lockMs: number;
  /** The pause before the second try; it doubles each time. */
  pauseMs: number;
  maxPauseMs: number;
  /** The time for which a lock is tried before the migration fails. */
  giveUpMs: number;
  /** The interval at which a long migration logs its progress. */
  progressMs: number;
  /** The time for which connections of older releases are looked for before a contraction: three probes of the readiness of a pod. */
  watchMs: number;
}

export const PATIENCE: Patience = {
  lockMs: 300,
  pauseMs: 500,
  maxPauseMs: 5_000,
  giveUpMs: 600_000,
  progressMs: 10_000,
  watchMs: 10_000,
};

interface Applying {
  client: pg.Client;
  log: Log;
  patience: Patience;
}

// A batch has so many pages of 8 KiB: a few thousand rows, whose locks are held for a few hundred milliseconds.
const BATCH_PAGES = 256;
const MAX_BREAK_MS = 1_000;

/**
 * Applies one migration and adds it to the history. Its first lines say how. `-- concurrently`: statement by statement, outside a
 * transaction, for indexes. `-- batches of TABLE`: its only statement is repeated for parts of the table, from page `$1` to page `$2`,
 * until it changes nothing. Otherwise it runs in one transaction: a failure or a lost connection leaves neither tables nor an entry in the
 * history. Its notices are logged.
 */
export async function applyMigration(applying: Applying, migration: Migration): Promise<void> {
  const [, concurrently, table] = /^(?:--.*\n)*?-- (?:(concurrently)|batches of (\w+))\b/.exec(migration.script) ?? [];
  const report = ({ message }: { message?: string | undefined }) =>
    applying.log.info({ migration: migration.name, report: message }, "migration reports");
  applying.client.on("notice", report);
  try {
    if (!concurrently && !table) return await inTransaction(applying, migration);
    if (concurrently) await runConcurrently(applying, migration);
    if (table) await runBatches(applying, migration, table);
    await addToHistory(applying, migration);
  } catch (error) {
    throw new Error(`Migration ${migration.name} failed: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  } finally {
    applying.client.off("notice", report);
  }
}

async function inTransaction(applying: Applying, migration: Migration): Promise<void> {
  const { client } = applying;
  await patiently(applying, migration, async (attempt) => {
    try {
      await client.query("BEGIN");
      if (attempt > 1) await interruptVacuum(applying, migration);
      await client.query(migration.script);
      await addToHistory(applying, migration);
      await client.query("COMMIT");
    } catch (error) {
      // If the connection was lost, PostgreSQL rolls back by itself.
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    }
  });
}

// This is longer than PostgreSQL's `deadlock_timeout`, after which autovacuum gives way.
const VACUUM_MS = 3_000;

/**
 * Autovacuum gives way to a statement that has waited for a second, which is longer than any statement may wait behind a migration. So a
 * table that is being vacuumed is first locked in a mode that conflicts with vacuum but not with reads and writes.
 */
async function interruptVacuum({ client, patience }: Applying, { script }: Migration): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT DISTINCT relname AS name FROM pg_locks JOIN pg_class ON pg_class.oid = relation
    WHERE locktype = 'relation' AND mode = 'ShareUpdateExclusiveLock' AND granted AND pid <> pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND relkind = 'r' AND relnamespace = current_schema()::regnamespace
    ORDER BY 1`);
  const vacuumed = rows.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(script));
  if (vacuumed.length === 0) return;
  const tables = vacuumed.map(({ name }) => pg.escapeIdentifier(name)).join(", ");
  await client.query(`SET LOCAL lock_timeout = ${VACUUM_MS}`);
  await client.query(`LOCK TABLE ${tables} IN SHARE UPDATE EXCLUSIVE MODE`);
  await client.query(`SET LOCAL lock_timeout = ${patience.lockMs}`);
}

// now() is the time at which the transaction began, which is when the migration started.
async function addToHistory({ client }: Applying, { checksum, name }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES (gen_random_uuid(), $1, $2, now(), clock_timestamp(), 1)`,
    [checksum, name],
  );
}

/** Repeats work that could not get its locks in time. Between two tries, the statements queued behind it run. */
async function patiently<T>(
  { log, patience }: Applying,
  { name }: Migration,
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  const until = performance.now() + patience.giveUpMs;
  for (let attempt = 1, pauseMs = patience.pauseMs; ; attempt++, pauseMs = Math.min(2 * pauseMs, patience.maxPauseMs)) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!isBusy(error) || performance.now() + pauseMs > until) throw error;
      log.warn({ migration: name, attempt, retry_in_ms: pauseMs, reason: (error as Error).message }, "migration waits");
      await setTimeout(pauseMs);
    }
  }
}

const LOCK_NOT_AVAILABLE = "55P03";
const DEADLOCK_DETECTED = "40P01";

function isBusy(error: unknown): boolean {
  return [LOCK_NOT_AVAILABLE, DEADLOCK_DETECTED].includes(sqlState(error));
}

// The statement waits for earlier transactions, however long they take. Meanwhile, other statements do not wait for it.
async function runConcurrently({ client, log }: Applying, { name, script }: Migration): Promise<void> {
  await client.query("SET lock_timeout = 0");
  await dropHalfBuilt(client, script);
  for (const statement of script.replace(/^--.*$/gm, "").split(/;\s*$/m)) {
    if (!statement.trim()) continue;
    const began = performance.now();
    await client.query(statement.trim());
    log.info({ migration: name, ms: Math.round(performance.now() - began) }, "index built");
  }
}

/** Drops an index whose construction was interrupted: it exists, but is invalid and useless. */
async function dropHalfBuilt(client: pg.Client, script: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT relname AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE NOT indisvalid AND relnamespace = current_schema()::regnamespace`);
  for (const { name } of rows) {
    if (new RegExp(`\\b${name}\\b`).test(script)) {
      await client.query(`DROP INDEX CONCURRENTLY ${pg.escapeIdentifier(name)}`);
    }
  }
}

/** Runs each batch in a transaction of its own. If a change moves a row behind the current page, the next walk finds it. */
async function runBatches(applying: Applying, migration: Migration, table: string): Promise<void> {
  const { client, log, patience } = applying;
  const { name, script } = migration;
  let [rows, loggedAt] = [0, performance.now()];
  for (let walked = 1; walked > 0; ) {
    walked = 0;
    const pages = await countPages(client, table);
    for (let page = 0; page < pages; page += BATCH_PAGES) {
      const began = performance.now();
      const range = [`(${page},0)`, `(${page + BATCH_PAGES},0)`];
      const { rowCount } = await patiently(applying, migration, () => client.query(script, range));
      walked += rowCount ?? 0;
      if (performance.now() - loggedAt > patience.progressMs) {
        loggedAt = performance.now();
        log.info({ migration: name, rows: rows + walked, page, pages }, "migration goes on");
      }
      // The pause is as long as the batch, so that other statements have half of the time.
      if (rowCount) await setTimeout(Math.min(performance.now() - began, MAX_BREAK_MS));
    }
    rows += walked;
  }
  log.info({ migration: name, rows }, "rows changed");
}

async function countPages(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ pages: number }>(
    "SELECT (pg_relation_size($1::regclass) / current_setting('block_size')::integer)::integer AS pages",
    [table],
  );
  return rows[0]!.pages;
}
