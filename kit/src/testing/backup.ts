import sql, { raw } from "sql-template-tag";
import type { Database } from "../postgres/database.js";
import { openTransaction } from "./database.js";

/** All rows of a small database, and how far its sequences were. */
export interface Backup {
  tables: readonly { name: string; rows: string }[];
  sequences: readonly { name: string; last: string }[];
}

/** Copies all rows of a small database. */
export async function backUp(db: Database): Promise<Backup> {
  const names = await db.run<{ name: string }>(sql`
    SELECT relname AS name FROM pg_class
    WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace AND relname <> '_prisma_migrations'`);
  const tables = await Promise.all(
    names.map(async ({ name }) => {
      const [all] = await db.run<{ rows: string }>(
        sql`SELECT coalesce(json_agg(t), '[]')::text AS rows FROM ${raw(name)} AS t`,
      );
      return { name, rows: all!.rows };
    }),
  );
  const sequences = await db.run<{ name: string; last: string }>(sql`
    SELECT sequencename AS name, last_value::text AS last FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL`);
  return { tables, sequences };
}

/** Restores such a copy in one transaction: afterwards, the database knows nothing of what came later. */
export async function restore(db: Database, { tables, sequences }: Backup): Promise<void> {
  const client = await openTransaction(db);
  try {
    await client.query("SET LOCAL session_replication_role = replica");
    await client.query(`TRUNCATE ${tables.map(({ name }) => name).join(", ")}`);
    for (const { name, rows } of tables)
      await client.query(`INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1)`, [rows]);
    for (const { name, last } of sequences) await client.query("SELECT setval($1, $2)", [name, last]);
    await client.query("COMMIT");
  } finally {
    client.release(true);
  }
}
