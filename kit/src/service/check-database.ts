import type pg from "pg";
import sql from "sql-template-tag";
import type { Database } from "../postgres/database.js";
import { unappliedMigrations } from "../postgres/migrate.js";
import { requireSession, type SessionClient } from "../postgres/session.js";
import { requirePostgres } from "../process/supported-versions.js";
import { type Encryption, encryptionOf } from "../tls/encryption.js";
import { check, type Finding } from "./finding.js";

/** Checks whether a part's database is reachable and migrated, over the part's own connections. */
export function checkDatabase(db: Database, migrations: string): Promise<Finding> {
  const advice = "Check that PostgreSQL is running and that the address, role and password are correct.";
  return check("database", { advice }, async () => {
    const version = await requirePostgres(db.pool);
    await requireSession(db.pool);
    const encryption = await readEncryption(db);
    const missing = await readMissing(db, migrations);
    if (missing.length === 0) return { ok: true, says: `reachable and migrated, on PostgreSQL ${version}`, encryption };
    return {
      ok: false,
      encryption,
      says: `reachable, but not migrated: ${missing.join(", ")}`,
      advice: "Apply the migrations with npm start or with the part's migration job.",
    };
  });
}

/** Reads how many connections the server takes and has; undefined if it is not reachable, or is reached through a pooler. */
export async function readDatabaseServer(db: Database) {
  try {
    const client = (await db.pool.connect()) as unknown as SessionClient & pg.PoolClient;
    try {
      const { isPooled, server, most, used } = await client.readServer();
      return isPooled ? undefined : { server, maxConnections: most, connections: used };
    } finally {
      client.release();
    }
  } catch {
    return undefined;
  }
}

// The encryption is read from the socket, because pg_stat_ssl describes the connection of a pooler if there is one.
async function readEncryption(db: Database): Promise<Encryption> {
  const client = await db.pool.connect();
  try {
    return encryptionOf(client.connection.stream);
  } finally {
    client.release();
  }
}

// A migration also counts as missing if a later release has started it and not finished.
async function readMissing(db: Database, migrations: string): Promise<string[]> {
  const unapplied = await unappliedMigrations(db, migrations);
  const unfinished = await db.run<{ name: string }>(sql`
    SELECT migration_name AS name FROM _prisma_migrations WHERE rolled_back_at IS NULL
    GROUP BY 1 HAVING NOT bool_or(finished_at IS NOT NULL)`);
  return [...new Set([...unapplied, ...unfinished.map(({ name }) => name)])];
}
