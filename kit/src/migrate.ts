import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import sql from "sql-template-tag";
import type { Database } from "./database.js";
import { type MigrationList, withSchemaEngine } from "./schema-engine.js";
import { requirePostgres } from "./supported-versions.js";

/**
 * Applies the migrations that `directory/migrations` has and the database lacks. Any number of processes may do so at once. A server
 * that is too old gets none.
 */
export async function migrate(options: { url: string; directory: string }): Promise<{ applied: string[] }> {
  return underMigrationLock(options.url, () => applyMigrations(options.url, options.directory));
}

/** The migrations of `directory/migrations` that the database lacks. Those it has beyond them are fine: that is a rollback. */
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

/** The SQL that is missing between the migrations and `schema.prisma`, "" if none. `url` names an empty database to work in. */
export async function migrationDrift(options: { url: string; directory: string }): Promise<string> {
  await applyMigrations(options.url, options.directory);
  const path = join(options.directory, "schema.prisma");
  const files = [{ path, content: await readFile(path, "utf8") }];
  const { exitCode, stdout } = await withSchemaEngine(options.url, (engine) =>
    engine.diff({
      from: { tag: "schemaDatasource", configDir: options.directory, files },
      to: { tag: "schemaDatamodel", files },
      script: true,
      exitCode: true,
      filters: NOTHING_EXTERNAL,
    }),
  );
  return exitCode === DIFFERENT ? (stdout ?? "") : "";
}

// Any number: it only has to be the same in every process that migrates.
const MIGRATION_LOCK = 7_263_594_412n;
const DIFFERENT = 2;
const NOTHING_EXTERNAL = { externalTables: [], externalEnums: [] };

async function underMigrationLock<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await requirePostgres(client);
    await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
    return await work();
  } finally {
    await client.end();
  }
}

async function applyMigrations(url: string, directory: string): Promise<{ applied: string[] }> {
  const migrationsList = await readMigrations(directory);
  return withSchemaEngine(url, async (engine) => {
    const { failedMigrationNames } = await engine.diagnoseMigrationHistory({
      migrationsList,
      optInToShadowDatabase: false,
      filters: NOTHING_EXTERNAL,
    });
    // A script is one transaction: of one that failed or was cut off nothing has stayed, so it may run again.
    for (const migrationName of failedMigrationNames) await engine.markMigrationRolledBack({ migrationName });
    const { appliedMigrationNames } = await engine
      .applyMigrations({ migrationsList, filters: NOTHING_EXTERNAL })
      .catch((error: Error) => {
        throw readable(error);
      });
    return { applied: appliedMigrationNames };
  });
}

// The engine's message is a trace of its inside that holds the two facts that matter.
function readable(error: Error): Error {
  const name = /migration_name="([^"]+)"/.exec(error.message)?.[1];
  const reason = /^Error querying the database: (?:ERROR: )?(.+)/m.exec(error.message)?.[1];
  return name && reason ? new Error(`Migration ${name} failed: ${reason}`, { cause: error }) : error;
}

async function readMigrations(directory: string): Promise<MigrationList> {
  const baseDir = join(directory, "migrations");
  const names = await migrationNames(directory);
  const migrationDirectories = names.map(async (name) => {
    const value = await readFile(join(baseDir, name, "migration.sql"), "utf8");
    return { path: name, migrationFile: { path: "migration.sql", content: { tag: "ok" as const, value } } };
  });
  return {
    baseDir,
    lockfile: { path: "migration_lock.toml", content: 'provider = "postgresql"' },
    shadowDbInitScript: "",
    migrationDirectories: await Promise.all(migrationDirectories),
  };
}

async function migrationNames(directory: string): Promise<string[]> {
  const entries = await readdir(join(directory, "migrations"), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
