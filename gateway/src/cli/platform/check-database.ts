import { type Database, openDatabase } from "@shipping/kit/postgres/database";
import { unappliedMigrations } from "@shipping/kit/postgres/migrate";
import type { Log } from "@shipping/kit/process/log";
import { requirePostgres, TooOld } from "@shipping/kit/process/supported-versions";
import sql from "sql-template-tag";
import { gatewayMigrations } from "../../start-gateway.js";
import type { Part } from "./find-platform.js";
import { type Finding, reasonOf, tooOld } from "./finding.js";

/** How long a command waits for a connection to a database: longer than a request, which is better refused than late. */
export const CONNECT_MS = 5_000;

/** Says whether a part's database is reachable and migrated. */
export async function checkDatabase(part: Part, url: string, log: Log): Promise<Finding> {
  const name = `${part} database`;
  const db = openDatabase(url, { max: 1, connectMs: CONNECT_MS, log });
  try {
    const version = await requirePostgres(db.pool);
    const { applied, missing } = await migrationsOf(part, db);
    if (applied > 0 && missing.length === 0) {
      return { part: name, ok: true, says: `reachable and migrated, on PostgreSQL ${version}` };
    }
    return {
      part: name,
      ok: false,
      says: missing.length > 0 ? `reachable, but not migrated: ${missing.join(", ")}` : "reachable, but empty",
      advice: `Apply the migrations with npm start or with the migration job of ${part}.`,
    };
  } catch (error) {
    if (error instanceof TooOld) return tooOld(name, error);
    return {
      part: name,
      ok: false,
      says: `not reachable: ${reasonOf(error)}`,
      advice: "Check that PostgreSQL is running and that the address, role and password are correct.",
    };
  } finally {
    await db.close();
  }
}

// The gateway knows its own migrations by name. Of the other parts' it can see those that were begun and did not end.
async function migrationsOf(part: Part, db: Database): Promise<{ applied: number; missing: string[] }> {
  const [table] = await db.run<{ present: boolean }>(
    sql`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present`,
  );
  if (!table?.present) return { applied: 0, missing: [] };
  const rows = await db.run<{ name: string; finished: boolean }>(sql`
    SELECT migration_name AS name, bool_or(finished_at IS NOT NULL) AS finished
    FROM _prisma_migrations WHERE rolled_back_at IS NULL GROUP BY 1`);
  const unfinished = rows.filter((row) => !row.finished).map((row) => row.name);
  const unapplied = part === "gateway" ? await unappliedMigrations(db, gatewayMigrations) : [];
  return { applied: rows.length - unfinished.length, missing: [...new Set([...unfinished, ...unapplied])] };
}
