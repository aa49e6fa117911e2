import type { ReadDeps } from "@shipping/kit/postgres/read-owned";
import sql, { raw } from "sql-template-tag";
import { type SearchedRow, seedFor, toGrams, toSearchText } from "./search-text.js";

export const SEARCH_TABLES = { orders: "order_search", shipments: "shipment_search" } as const;

export type RecordTable = keyof typeof SEARCH_TABLES;

/**
 * How many rows a segment has. In a larger one, a word that most records have costs a search more; with more segments, a word that none has.
 */
export const SEGMENT_ROWS = 16_384;

// Few enough that other calls do not wait while their words are found, which takes 5 ms.
const BATCH = 100;
const BACKFILL_PAGES = 32;

interface Queued extends SearchedRow {
  n: bigint;
  recordTable: RecordTable;
  accountId: string;
  environment: string;
  id: string;
  createdAt: Date | null;
  segment: number | null;
  rows: number | null;
}

/**
 * Writes the search rows of records that are queued, the newest first, and returns how many were queued. A row leaves the queue in the
 * statement that writes its search row, so it is written once, whoever is killed, and however many processes do the same.
 */
export async function fillSearchOnce(deps: ReadDeps): Promise<number> {
  const queued = await readQueue(deps);
  for (const table of ["orders", "shipments"] as const) {
    const rows = queued.filter(({ recordTable }) => recordTable === table);
    if (rows.length > 0) await writeRows(deps, table, rows);
  }
  return queued.length < BATCH && (await queueOlder(deps)) ? BATCH : queued.length;
}

/** Fills the search until nothing is queued, as a loop does again and again. */
export function fillSearch(deps: ReadDeps): (isStopping: () => boolean) => Promise<void> {
  return async (isStopping) => {
    while (!isStopping() && (await fillSearchOnce(deps)) === BATCH);
  };
}

function readQueue({ db }: ReadDeps): Promise<Queued[]> {
  const fields = raw(`created_at AS "createdAt", reference, sender::text, recipient::text, metadata`);
  const isQueued = sql`(account_id, environment, id) = (queued.account_id, queued.environment, queued.id)`;
  return db.runList<Queued>(
    sql`
      SELECT queued.n, queued.record_table AS "recordTable", queued.account_id AS "accountId", queued.environment, queued.id,
        record.*, last.segment, last.rows
      FROM (SELECT * FROM search_queue ORDER BY n DESC LIMIT ${BATCH}) AS queued
      LEFT JOIN LATERAL (
        SELECT ${fields} FROM orders WHERE ${isQueued} AND queued.record_table = 'orders'
        UNION ALL
        SELECT ${fields} FROM shipments WHERE ${isQueued} AND queued.record_table = 'shipments'
        LIMIT 1) AS record ON true
      LEFT JOIN LATERAL (
        SELECT segment, rows FROM search_segments
        WHERE account_id = queued.account_id AND environment = queued.environment AND record_table = queued.record_table
          AND segment < 0
        ORDER BY segment LIMIT 1) AS last ON true
      ORDER BY record."createdAt"`,
    { replan: true },
  );
}

async function writeRows({ db }: ReadDeps, table: RecordTable, queued: readonly Queued[]): Promise<void> {
  const next = new Map<string, { segment: number; rows: number }>();
  const written = queued.flatMap((row) => {
    // The record of an erased account is gone.
    if (!row.createdAt) return [];
    const owner = `${row.accountId} ${row.environment}`;
    const last = next.get(owner) ?? { segment: row.segment ?? -1, rows: row.rows ?? 0 };
    const at = last.rows < SEGMENT_ROWS ? last : { segment: last.segment - 1, rows: 0 };
    next.set(owner, { segment: at.segment, rows: at.rows + 1 });
    const text = toSearchText(row);
    return [{ ...row, text, grams: toGrams(text, seedFor(row, at.segment)), inSegment: at.segment }];
  });
  // The order of rows and segments is the same everywhere, so that two processes do not wait for each other.
  await db.runList(
    sql`
      WITH gone AS (DELETE FROM search_queue WHERE n = ANY(${queued.map(({ n }) => String(n))}::bigint[]) RETURNING n),
      given AS (
        SELECT given.* FROM unnest(
          ${written.map(({ n }) => String(n))}::bigint[], ${written.map(({ accountId }) => accountId)}::text[],
          ${written.map(({ environment }) => environment)}::text[], ${written.map(({ id }) => id)}::text[],
          ${written.map(({ createdAt }) => createdAt)}::timestamptz[], ${written.map(({ text }) => text)}::text[],
          ${written.map(({ grams }) => `{${grams}}`)}::text[], ${written.map(({ inSegment }) => inSegment)}::integer[]
        ) AS given (n, account_id, environment, id, created_at, text, grams, segment) JOIN gone USING (n)),
      filled AS (
        INSERT INTO ${raw(SEARCH_TABLES[table])} (account_id, environment, id, created_at, text, grams)
        SELECT account_id, environment, id, created_at, text, grams::integer[] FROM given ORDER BY account_id, environment, id
        ON CONFLICT DO NOTHING)
      INSERT INTO search_segments AS kept (account_id, environment, record_table, segment, rows, oldest, newest)
      SELECT account_id, environment, ${table}, segment, count(*), min(created_at), max(created_at)
      FROM given GROUP BY account_id, environment, segment ORDER BY account_id, environment, segment
      ON CONFLICT (account_id, environment, record_table, segment) DO UPDATE SET
        rows = kept.rows + excluded.rows, oldest = least(kept.oldest, excluded.oldest), newest = greatest(kept.newest, excluded.newest)`,
    { replan: true },
  );
}

/** Queues some of the rows of before, the latest pages of a table first. Returns whether there were any left. */
async function queueOlder({ db }: ReadDeps): Promise<boolean> {
  const [left] = await db.runList<{ recordTable: RecordTable; pages: number }>(sql`
    SELECT record_table AS "recordTable", pages FROM search_backfill WHERE pages > 0 ORDER BY record_table LIMIT 1`);
  if (!left) return false;
  const from = Math.max(0, left.pages - BACKFILL_PAGES);
  await db.runList(
    sql`
      WITH taken AS (
        UPDATE search_backfill SET pages = ${from} WHERE record_table = ${left.recordTable} AND pages = ${left.pages} RETURNING 1)
      INSERT INTO search_queue (record_table, account_id, environment, id)
      SELECT ${left.recordTable}, account_id, environment, id FROM ${raw(left.recordTable)}
      WHERE ctid >= ${`(${from},0)`}::tid AND ctid < ${`(${left.pages},0)`}::tid AND EXISTS (SELECT FROM taken)`,
    { replan: true },
  );
  return true;
}
