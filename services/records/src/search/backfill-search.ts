import sql, { raw } from "sql-template-tag";
import { crowd, type RecordsDeps, type RecordTable, recentTable, SEARCH_TABLES } from "./recent.js";
import { type SearchedRow, toSearchText } from "./search-text.js";

// A page has about eight records. Few enough that other calls do not wait while their words are found, which takes a millisecond.
const PAGES = 16;

interface Older extends SearchedRow {
  accountId: string;
  environment: "sandbox" | "live";
  id: string;
}

/**
 * Writes what some of the records are found by that are older than the search, the latest pages of a table first. Returns whether there
 * were any left. Pages are taken in the statement that writes their rows, so none is left out, whoever is killed.
 */
export async function backfillOnce(deps: RecordsDeps): Promise<boolean> {
  const { db } = deps;
  const [left] = await db.runList<{ table: RecordTable; pages: number }>(sql`
    SELECT record_table AS "table", pages FROM search_backfill WHERE pages > 0 ORDER BY record_table LIMIT 1`);
  if (!left) return false;
  const { table, pages } = left;
  const from = Math.max(0, pages - PAGES);
  const older = await db.runList<Older>(
    sql`
      SELECT account_id AS "accountId", environment, id, reference, sender::text, recipient::text, metadata
      FROM ${raw(table)} AS record
      WHERE ctid >= ${`(${from},0)`}::tid AND ctid < ${`(${pages},0)`}::tid AND NOT EXISTS (
        SELECT FROM ${raw(SEARCH_TABLES[table])} AS searched
        WHERE (searched.account_id, searched.environment, searched.id) = (record.account_id, record.environment, record.id))`,
    { replan: true },
  );
  // A record that is being deleted is waited for: nothing is written about one that is gone.
  await db.runList(sql`
    WITH taken AS (UPDATE search_backfill SET pages = ${from} WHERE record_table = ${table} AND pages = ${pages} RETURNING 1)
    INSERT INTO ${raw(recentTable(table))} (account_id, environment, id, created_at, text)
    SELECT given.account_id, given.environment, given.id, record.created_at, given.text
    FROM unnest(
      ${older.map(({ accountId }) => accountId)}::text[], ${older.map(({ environment }) => environment)}::text[],
      ${older.map(({ id }) => id)}::text[], ${older.map(toSearchText)}::text[]
    ) AS given (account_id, environment, id, text)
    CROSS JOIN LATERAL (
      SELECT created_at FROM ${raw(table)} WHERE account_id = given.account_id AND environment = given.environment AND id = given.id
      FOR KEY SHARE) AS record
    WHERE EXISTS (SELECT FROM taken)
    ON CONFLICT DO NOTHING`);
  for (const { accountId, environment } of older) crowd(deps, { accountId, environment, table });
  return true;
}
