import { setImmediate as nextTurn } from "node:timers/promises";
import type { Caller } from "@shipping/kit/caller";
import { ownedSql, type ReadDeps } from "@shipping/kit/postgres/owned/read-owned";
import type { PublisherDeps } from "@shipping/kit/service/publisher";
import sql, { raw } from "sql-template-tag";
import { seedFor, toHashes } from "./hashes.js";
import { type RecordTable, recentTable, SEARCH_TABLES } from "./search-rows.js";

/** An account's environment whose recent texts must be counted. */
interface Owner extends Caller {
  table: RecordTable;
}

export interface RecordsDeps extends PublisherDeps {
  /** Owners whose recent texts must be counted, by key. */
  ownersToCount: Map<string, Owner>;
}

/** How many of an owner's texts a search compares without hashes, and a few hundred more. A thousand of usual length cost it 1.5 ms. */
const KEPT = 512;

/** In a larger segment, a word that most records have costs a search more; with more segments, a word that no record has. */
const SEGMENT_ROWS = 16_384;

/** So many that the index takes equal hashes together, and so few that their statement takes less than a twentieth of a second. */
const BATCH = 256;

/** Counting an owner's texts costs as much as ten creations. */
const CREATIONS_PER_COUNT = 256;

/** To be called for each text that was added: one call in a few hundred, at random, has the owner's texts counted. */
export function addedText(deps: Pick<RecordsDeps, "ownersToCount">, owner: Owner): void {
  if (Math.random() * CREATIONS_PER_COUNT < 1) countSoon(deps, owner);
}

/** Has the owner's texts counted at the next turn. */
export function countSoon({ ownersToCount }: Pick<RecordsDeps, "ownersToCount">, owner: Owner): void {
  ownersToCount.set(`${owner.table} ${owner.accountId} ${owner.environment}`, owner);
}

/** Counts the recent texts of owners, and gives hashes to the oldest of those that have many. */
export async function hashCounted(deps: RecordsDeps, isStopping: () => boolean): Promise<void> {
  for (const [key, owner] of deps.ownersToCount) {
    deps.ownersToCount.delete(key);
    while (!isStopping() && (await hashRecent(deps, owner)));
  }
}

/**
 * Gives hashes to the oldest recent texts of an owner that has more than `kept`. A text leaves the recent ones in the statement that writes
 * it with its hashes, so it is found once, whatever is killed. Texts that another process has locked are left to it. Returns whether
 * there may be more.
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
  const hashes: string[] = [];
  for (const { text } of rows) {
    if (hashes.length % 100 === 99) await nextTurn();
    hashes.push(`{${toHashes(text, seed)}}`);
  }
  const ids = rows.map(({ id }) => id);
  const bytes = rows.map(({ text }) => Buffer.byteLength(text));
  // A text that has got a tracking number since it was read is longer, and left to the next turn.
  const moved = await db.runList(
    sql`
      WITH moved AS (
        DELETE FROM ${recent} AS recent USING unnest(${ids}::text[], ${bytes}::integer[], ${hashes}::text[]) AS given (id, bytes, hashes)
        CROSS JOIN LATERAL (
          SELECT ctid FROM ${recent} WHERE ${owned} AND id = given.id AND octet_length(text) = given.bytes
          FOR UPDATE SKIP LOCKED) AS place
        WHERE recent.ctid = place.ctid
        RETURNING recent.id, created_at, text, hashes),
      hashed AS (
        INSERT INTO ${raw(SEARCH_TABLES[table])} (account_id, environment, id, created_at, text, hashes)
        SELECT ${accountId}, ${environment}, id, created_at, text, hashes::integer[] FROM moved ORDER BY id
        ON CONFLICT (account_id, environment, id) DO UPDATE SET text = excluded.text, hashes = excluded.hashes)
      INSERT INTO search_segments AS filled (account_id, environment, record_table, segment, rows, oldest, newest)
      SELECT ${accountId}, ${environment}, ${table}, ${segment}::integer, count(*), min(created_at), max(created_at)
      FROM moved HAVING count(*) > 0
      ON CONFLICT (account_id, environment, record_table, segment) DO UPDATE SET
        rows = filled.rows + excluded.rows, oldest = least(filled.oldest, excluded.oldest), newest = greatest(filled.newest, excluded.newest)
      RETURNING segment`,
    { replan: true },
  );
  return moved.length > 0;
}
