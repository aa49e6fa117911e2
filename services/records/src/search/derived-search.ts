import type { Caller } from "@shipping/kit/caller";
import type { DerivedRows, Difference } from "@shipping/kit/derived/derived-rows";
import { type Place, walkTable } from "@shipping/kit/derived/walk";
import { type Columns, pickColumns, type Row, selectColumns, unnestRows } from "@shipping/kit/postgres/columns";
import sql, { raw } from "sql-template-tag";
import type { SharedRow, Shown } from "../resource/shared-fields.js";
import { countSoon, type RecordsDeps } from "./hash-recent.js";
import { seedFor, toHashes } from "./hashes.js";
import { type RecordTable, recentTable, SEARCH_TABLES } from "./search-rows.js";
import { toSearchText } from "./search-text.js";

type Owned<Stored> = Stored & Caller;

interface SearchRow {
  id: string;
  createdAt: Date;
  text: string;
  /** Null for a recent text. */
  hashes: number[] | null;
}

interface Segment extends Caller {
  segment: number;
  oldest: Date;
  newest: Date;
}

const textColumns = {
  ...{ accountId: "text", environment: "text", id: "text", createdAt: "timestamptz", text: "text" },
} as const satisfies Columns;

const keyColumns = pickColumns(textColumns, ["accountId", "environment", "id"]);

type TextRow = Row<typeof textColumns>;
type Found = Difference & { row?: TextRow };

const KEY = ["accountId", "environment", "id"] as const;
const owner = sql`account_id AS "accountId", environment`;

/** The search rows of a table, compared with its records. A record has one row, or for a while a recent text beside one with hashes. */
export function searchRows<Stored extends SharedRow>(
  deps: RecordsDeps,
  table: RecordTable,
  { columns, toJson }: { columns: Columns; toJson(row: Shown<Stored>): string },
): DerivedRows<Found> {
  const hashed = raw(SEARCH_TABLES[table]);
  const recent = raw(recentTable(table));

  /** Reads the search rows of records, by the records' places. A text that moves from one table to the other is in one of them. */
  async function readRows(records: readonly (Caller & { id: string })[]): Promise<Map<string, SearchRow[]>> {
    const keys = records.map(({ accountId, environment, id }) => ({ accountId, environment, id }));
    const from = (source: typeof hashed, hashes: string) => sql`
      SELECT given.id, found.created_at AS "createdAt", found.text, ${raw(hashes)} AS hashes FROM ${unnestRows(keyColumns, keys)}
      CROSS JOIN LATERAL (
        SELECT * FROM ${source} WHERE (account_id, environment, id) = (given.account_id, given.environment, given.id) LIMIT 1) AS found`;
    const rows = await deps.db.runList<SearchRow>(
      sql`${from(recent, "NULL::integer[]")} UNION ALL ${from(hashed, "found.hashes")}`,
    );
    const byId = new Map<string, SearchRow[]>();
    for (const row of rows) byId.set(row.id, [...(byId.get(row.id) ?? []), row]);
    return byId;
  }

  async function readSegments(records: readonly Caller[]): Promise<Segment[]> {
    const accounts = [...new Set(records.map(({ accountId }) => accountId))];
    return deps.db.runList<Segment>(sql`
      SELECT ${owner}, segment, oldest, newest FROM search_segments
      WHERE account_id = ANY(${accounts}::text[]) AND record_table = ${table}`);
  }

  async function compareRecords(after: Place, limit: number) {
    const selected = sql`account_id AS "accountId", ${selectColumns(columns)}`;
    const { rows: records, ...page } = await walkTable<Owned<Stored>>(
      deps.db,
      { table, key: KEY, columns: selected },
      { after, limit },
    );
    const stored = await readRows(records);
    const segments = await readSegments(records);
    const differences = records.flatMap((record): Found[] => {
      const { accountId, environment, id, createdAt } = record;
      const text = toSearchText(JSON.parse(toJson(record)));
      const rows = stored.get(id) ?? [];
      const isRight = (row: SearchRow) => isTextOf(row.text, text) && isFindable(record, row, segments);
      if (rows.length > 0 && rows.every(isRight)) return [];
      const row = { accountId, environment, id, createdAt, text: text + digitsBehind(text, rows) };
      return [{ problem: rows.length === 0 ? "missing" : "stale", accountId, environment, id, row }];
    });
    return { rows: records.length, differences, ...page };
  }

  return {
    kind: SEARCH_TABLES[table],
    startsAt: "acc",
    compare: compareRecords,
    async repair(found) {
      const rows = found.flatMap(({ row }) => row ?? []);
      // In one statement, so that a record is found by the one text or the other. The worker gives the text hashes.
      await deps.db.runList(sql`
        WITH given AS MATERIALIZED (
          SELECT given.* FROM ${unnestRows(textColumns, rows)}
          JOIN ${raw(table)} AS record USING (account_id, environment, id)),
        gone AS (
          DELETE FROM ${hashed} AS row USING given
          WHERE (row.account_id, row.environment, row.id) = (given.account_id, given.environment, given.id))
        INSERT INTO ${recent} (account_id, environment, id, created_at, text)
        SELECT account_id, environment, id, created_at, text FROM given ORDER BY account_id, environment, id
        ON CONFLICT (account_id, environment, id) DO UPDATE SET created_at = excluded.created_at, text = excluded.text`);
      for (const { accountId, environment } of rows)
        countSoon(deps, { accountId, environment: environment as Caller["environment"], table });
    },
  };
}

/** The recent texts of a table, each of which belongs to a record: no foreign key says so. */
export function recentRows({ db }: Pick<RecordsDeps, "db">, table: RecordTable): DerivedRows {
  const recent = recentTable(table);
  return {
    kind: recent,
    startsAt: "acc",
    async compare(after, limit) {
      const columns = sql`${owner}, id, EXISTS (
        SELECT FROM ${raw(table)} AS record
        WHERE (record.account_id, record.environment, record.id) = (${raw(recent)}.account_id, ${raw(recent)}.environment, ${raw(recent)}.id)) AS known`;
      const walked = { table: recent, key: KEY, columns };
      const { rows, ...page } = await walkTable<Caller & { id: string; known: boolean }>(db, walked, { after, limit });
      const differences = rows.flatMap(({ known, ...row }) => (known ? [] : { problem: "surplus" as const, ...row }));
      return { rows: rows.length, differences, ...page };
    },
    repair: (found) =>
      db.runList(sql`
        DELETE FROM ${raw(recent)} AS recent
        WHERE (account_id, environment, id) IN (
          SELECT * FROM unnest(${found.map(({ accountId }) => accountId)}::text[],
            ${found.map(({ environment }) => environment)}::text[], ${found.map(({ id }) => id)}::text[]))
        AND NOT EXISTS (
          SELECT FROM ${raw(table)} AS record
          WHERE (record.account_id, record.environment, record.id) = (recent.account_id, recent.environment, recent.id))`),
  };
}

/** Whether a stored text is that of its record, with or without the digits of a tracking number behind it. */
const isTextOf = (stored: string, text: string) => stored.startsWith(text) && !/[^\d ]/.test(stored.slice(text.length));

/** The digits that the stored texts have behind that of the record. */
function digitsBehind(text: string, rows: readonly SearchRow[]): string {
  const digits = rows.filter((row) => isTextOf(row.text, text)).map((row) => row.text.slice(text.length));
  return digits.sort((one, other) => other.length - one.length)[0] ?? "";
}

/** Whether a search comes upon the row: at the time of its record and, if it has hashes, by those of a segment that it belongs to. */
function isFindable(record: Owned<SharedRow>, row: SearchRow, segments: readonly Segment[]): boolean {
  if (row.createdAt.getTime() !== record.createdAt.getTime()) return false;
  const { hashes } = row;
  if (hashes === null) return true;
  return segments
    .filter((one) => one.accountId === record.accountId && one.environment === record.environment)
    .filter(({ oldest, newest }) => oldest <= record.createdAt && record.createdAt <= newest)
    .some(({ segment }) => isSame(toHashes(row.text, seedFor(record, segment)), hashes));
}

function isSame(wanted: readonly number[], stored: readonly number[]): boolean {
  const known = new Set(stored);
  return wanted.length === known.size && wanted.every((hash) => known.has(hash));
}
