import { setImmediate as nextTurn } from "node:timers/promises";
import type { Caller } from "@shipping/kit/caller";
import { pickColumns } from "@shipping/kit/postgres/columns";
import { ownedSql, type ReadDeps } from "@shipping/kit/postgres/read-owned";
import type { PublisherDeps } from "@shipping/kit/service/publisher";
import sql, { raw, type Sql } from "sql-template-tag";
import { insertClaimed, type SharedRow, sharedColumns } from "../resource/shared-fields.js";
import { seedFor, toGrams, toSearchText } from "./search-text.js";

/** Where a record is found by hashes. */
export const SEARCH_TABLES = { orders: "order_search", shipments: "shipment_search" } as const;

export type RecordTable = keyof typeof SEARCH_TABLES;

/** An account's environment that may have many recent rows. */
interface Owner extends Caller {
  table: RecordTable;
}

export interface RecordsDeps extends PublisherDeps {
  /** Owners that are to be looked at, by what identifies them. */
  crowded: Map<string, Owner>;
}

/** How many rows of an owner's a search compares without hashes, and a few hundred more. A thousand of usual length cost it 1.5 ms. */
const KEPT = 512;

// In a larger segment, a word that most records have costs a search more; with more segments, a word that none has.
const SEGMENT_ROWS = 16_384;

// So many that the index takes equal hashes together, and so few that their statement takes less than a twentieth of a second.
const BATCH = 256;

// Counting an owner's rows costs as much as ten creations.
const CREATIONS_PER_LOOK = 256;

const recentColumns = { ...pickColumns(sharedColumns, ["id", "environment", "createdAt"]), text: "text" } as const;

export const recentTable = (table: RecordTable) => `${SEARCH_TABLES[table]}_recent`;

/** Creates the insertion of what new records are found by, into a statement that creates them. */
export function insertRecent(table: RecordTable): (rows: readonly SharedRow[]) => Sql {
  const insert = insertClaimed(recentTable(table), recentColumns);
  return (rows) => insert(rows.map((row) => ({ ...row, text: toSearchText(row) })));
}

/** To be called for each record that was created. */
export function createdRecent({ crowded }: RecordsDeps, owner: Owner): void {
  if (Math.random() * CREATIONS_PER_LOOK < 1)
    crowded.set(`${owner.table} ${owner.accountId} ${owner.environment}`, owner);
}

/** Gives hashes to the oldest of owners that have many recent rows. */
export async function hashCrowded(deps: RecordsDeps, isStopping: () => boolean): Promise<void> {
  for (const [key, owner] of deps.crowded) {
    deps.crowded.delete(key);
    while (!isStopping() && (await hashRecent(deps, owner)));
  }
}

/**
 * Gives hashes to the oldest recent rows of an owner that has more than `kept`, and returns whether there were so many. A row leaves the
 * recent ones in the statement that writes it with its hashes, so it is found once, whoever is killed, and however many processes do the same.
 */
export async function hashRecent({ db }: ReadDeps, owner: Owner, kept = KEPT): Promise<boolean> {
  const { accountId, environment, table } = owner;
  const recent = raw(recentTable(table));
  const owned = ownedSql(owner);
  const rows = await db.runList<{ id: string; text: string; last: [segment: number, rows: number] | null }>(sql`
    SELECT id, text, (
      SELECT ARRAY[segment, rows] FROM search_segments WHERE ${owned} AND record_table = ${table}
      ORDER BY segment DESC LIMIT 1) AS last
    FROM ${recent} WHERE ${owned} AND (SELECT count(*) FROM ${recent} WHERE ${owned}) > ${kept}::bigint
    ORDER BY created_at, id LIMIT ${BATCH}::bigint`);
  const [first] = rows;
  if (!first) return false;
  const [last, used] = first.last ?? [0, 0];
  const segment = used + rows.length <= SEGMENT_ROWS ? last : last + 1;
  const seed = seedFor(owner, segment);
  const grams: string[] = [];
  for (const { text } of rows) {
    if (grams.length % 100 === 99) await nextTurn();
    grams.push(`{${toGrams(text, seed)}}`);
  }
  await db.runList(
    sql`
      WITH moved AS (
        DELETE FROM ${recent} AS recent USING unnest(${rows.map(({ id }) => id)}::text[], ${grams}::text[]) AS given (id, grams)
        CROSS JOIN LATERAL (SELECT ctid FROM ${recent} WHERE ${owned} AND id = given.id OFFSET 0) AS place
        WHERE recent.ctid = place.ctid
        RETURNING recent.id, created_at, text, grams),
      hashed AS (
        INSERT INTO ${raw(SEARCH_TABLES[table])} (account_id, environment, id, created_at, text, grams)
        SELECT ${accountId}, ${environment}, id, created_at, text, grams::integer[] FROM moved ORDER BY id
        ON CONFLICT DO NOTHING)
      INSERT INTO search_segments AS kept (account_id, environment, record_table, segment, rows, oldest, newest)
      SELECT ${accountId}, ${environment}, ${table}, ${segment}::integer, count(*), min(created_at), max(created_at)
      FROM moved HAVING count(*) > 0
      ON CONFLICT (account_id, environment, record_table, segment) DO UPDATE SET
        rows = kept.rows + excluded.rows, oldest = least(kept.oldest, excluded.oldest), newest = greatest(kept.newest, excluded.newest)`,
    { replan: true },
  );
  return true;
}
