import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { Database } from "../postgres/database.js";

/** A table with rows of accounts. */
export interface AccountTable {
  name: string;
  /** Columns that identify a row of an account, in the order of an index. They must not be null. */
  key: readonly [string, ...string[]];
  /** The condition that a row is the account's; by default, that its `account_id` is. */
  ownedBy?: (accountId: string) => Sql;
  /** No index finds the rows of an account, so a statement walks along the key, a bounded number of rows at a time. */
  walked?: true;
  /** What is in a column of bytes. Those that are not named here never leave: they are secrets, hashes, or of no use to anybody. */
  bytes?: Readonly<Record<string, "json" | "pdf">>;
}

/** Everything that an owner stores of an account. A new table is one line here. */
export interface AccountData {
  /** Every table with rows of accounts, in the order in which they are erased: what refers to a row before the row. */
  tables: readonly AccountTable[];
  /** All other tables, each with the reason why nothing of it has to be erased. */
  kept: Readonly<Record<string, string>>;
  /** A statement that counts, as `count`, what of an account has to end before it can be erased. */
  inFlight?: (accountId: string) => Sql;
  /** A statement that runs before anything is erased, each time. */
  beforeErasure?: (accountId: string) => Sql;
}

/** A row as it leaves: JSON in the names of the columns, and the file that belongs to it. */
export interface ExportedRow {
  json: string;
  fileName?: string | undefined;
  file?: Uint8Array;
}

/** Part of what belongs to an account, in one table. The next one begins at the cursor; without one it was the last. */
export interface ExportPage {
  table: string;
  rows: ExportedRow[];
  nextCursor?: string | undefined;
}

/** What was erased of one table. The next batch begins at the cursor; without one it was the last. */
export interface ErasedBatch {
  table: string;
  rows: number;
  nextCursor?: string | undefined;
}

/** How much a statement reads, deletes or walks along, at most. */
export interface PageSizes {
  rows: number;
  bytes: number;
  walked: number;
}

// A batch holds its locks for some ten milliseconds; of a page as much as one answer may carry.
const SIZES: PageSizes = { rows: 500, bytes: 4 * 1024 * 1024, walked: 20_000 };

type Row = Record<string, unknown> & { page_key: string[] | null; walk_end: string[] | null };

/** Reads one page of what is stored of an account. Rows that are written meanwhile may be missing. */
export async function exportPage(
  db: Database,
  data: AccountData,
  { accountId, cursor }: { accountId: string; cursor?: string | undefined },
  sizes: PageSizes = SIZES,
): Promise<ExportPage> {
  const [table, place] = placeOf(data, cursor);
  // A row without a key is there for the end of the walk alone.
  const answered = await query<Row>(
    db,
    sql`WITH page AS MATERIALIZED (
        SELECT *, ${keyAsText(table)} AS page_key FROM ${within(table, place, sizes)}
        WHERE ${ownedBy(table, accountId)} ORDER BY ${keyOf(table)} LIMIT ${sizes.rows})
      SELECT page.*, walk.walk_end FROM (SELECT ${endOfWalk(table, place, sizes)} AS walk_end) AS walk LEFT JOIN page ON true
      ORDER BY ${raw(table.key.map((column) => `page.${column}`).join(", "))}`,
  );
  const found = answered.filter((row) => row.page_key);
  const rows: ExportedRow[] = [];
  let bytes = 0;
  for (const row of found) {
    const exported = rowOf(table, row);
    bytes += exported.json.length + (exported.file?.length ?? 0);
    if (rows.length > 0 && bytes > sizes.bytes) break;
    rows.push(exported);
  }
  const isFull = rows.length < found.length || rows.length === sizes.rows;
  const last = isFull ? found[rows.length - 1]!.page_key : answered[0]!.walk_end;
  return { table: table.name, rows, ...after(data, table, last) };
}

/** Deletes one batch of what is stored of an account. What is gone is gone: begun again, it finds the rest. */
export async function eraseBatch(
  db: Database,
  data: AccountData,
  { accountId, cursor }: { accountId: string; cursor?: string | undefined },
  sizes: PageSizes = SIZES,
): Promise<ErasedBatch> {
  if (!cursor && data.beforeErasure) await query(db, data.beforeErasure(accountId));
  const [table, place] = placeOf(data, cursor);
  const columns = table.key.map((column) => raw(`${table.name}.${column}`));
  // By the key and not by `ctid`, which names a row of one partition only.
  const [gone] = await query<{ rows: number; last: string[] | null }>(
    db,
    sql`WITH page AS MATERIALIZED (
        SELECT ${join(columns.map((column, nth) => sql`${column} AS ${raw(`key_${nth}`)}`))}, ${keyAsText(table)} AS page_key
        FROM ${within(table, place, sizes)} WHERE ${ownedBy(table, accountId)} ORDER BY ${keyOf(table)} LIMIT ${sizes.rows}),
      gone AS (
        DELETE FROM ${raw(table.name)} USING page
        WHERE ${ownedBy(table, accountId)} AND ${join(
          columns.map((column, nth) => sql`${column} = ${raw(`page.key_${nth}`)}`),
          " AND ",
        )}
        RETURNING 1)
      SELECT (SELECT count(*)::integer FROM gone) AS rows,
        coalesce((SELECT page_key FROM page OFFSET ${sizes.rows - 1}), ${endOfWalk(table, place, sizes)}) AS last`,
  );
  return { table: table.name, rows: gone!.rows, ...after(data, table, gone!.last) };
}

/** Counts what of an account is under way. */
export async function countInFlight(db: Database, data: AccountData, accountId: string): Promise<number> {
  if (!data.inFlight) return 0;
  const [row] = await query<{ count: bigint }>(db, data.inFlight(accountId));
  return Number(row!.count);
}

// Not prepared: `*` is another list of columns after a migration. On the connections of lists, of which requests need none.
async function query<R>(db: Database, { text, values }: Sql): Promise<R[]> {
  return (await db.listPool.query({ text, values: [...values] })).rows as R[];
}

/** The table that a cursor stands in, and the key after which its next page begins. */
function placeOf({ tables }: AccountData, cursor: string | undefined): [AccountTable, string[] | undefined] {
  const [name, ...key] = cursor ? (JSON.parse(cursor) as string[]) : [tables[0]!.name];
  const table = tables.find((one) => one.name === name);
  if (!table) throw new Error(`No table ${name} belongs to accounts.`);
  return [table, key.length > 0 ? key : undefined];
}

/** Where it goes on: behind this key, otherwise in the next table. */
function after({ tables }: AccountData, table: AccountTable, key: string[] | null): { nextCursor?: string } {
  const place = key
    ? [table.name, ...key]
    : tables.slice(tables.indexOf(table) + 1, tables.indexOf(table) + 2).map((next) => next.name);
  return place.length > 0 ? { nextCursor: JSON.stringify(place) } : {};
}

/** The rows that one statement looks at, under the name of the table. It reads no more of them than it needs. */
function within(table: AccountTable, place: string[] | undefined, sizes: PageSizes): Sql {
  const name = raw(table.name);
  const rows = sql`SELECT * FROM ${name} ${behind(table, place)}`;
  return table.walked
    ? sql`(${rows} ORDER BY ${keyOf(table)} LIMIT ${sizes.walked}) AS ${name}`
    : sql`(${rows}) AS ${name}`;
}

/**
 * The last key that a statement looks at where it does not fill its page; null at the end of the table. Part of the statement, since what
 * it deletes, and what others delete meanwhile, would move it.
 */
function endOfWalk(table: AccountTable, place: string[] | undefined, sizes: PageSizes): Sql {
  if (!table.walked) return sql`NULL::text[]`;
  return sql`CASE WHEN (SELECT count(*) FROM page) < ${sizes.rows} THEN (
    SELECT ${keyAsText(table)} FROM ${raw(table.name)} ${behind(table, place)}
    ORDER BY ${keyOf(table)} OFFSET ${sizes.walked - 1} LIMIT 1) END`;
}

const behind = (table: AccountTable, place: string[] | undefined) =>
  place ? sql`WHERE (${keyOf(table)}) > (${join(place)})` : empty;

const ownedBy = ({ ownedBy }: AccountTable, accountId: string) =>
  ownedBy?.(accountId) ?? sql`account_id = ${accountId}`;

const keyOf = ({ name, key }: AccountTable) => raw(key.map((column) => `${name}.${column}`).join(", "));

const keyAsText = ({ name, key }: AccountTable) =>
  raw(`ARRAY[${key.map((column) => `${name}.${column}::text`).join(", ")}]`);

function rowOf({ key, bytes = {} }: AccountTable, { page_key, walk_end, ...row }: Row): ExportedRow {
  const members: [string, unknown][] = [];
  let file: Pick<ExportedRow, "fileName" | "file"> = {};
  for (const [column, value] of Object.entries(row)) {
    if (!Buffer.isBuffer(value)) members.push([column, value]);
    else if (bytes[column] === "json") members.push([column, JSON.parse(value.toString())]);
    else if (bytes[column]) file = { fileName: `${row[key.at(-1)!]}.${bytes[column]}`, file: value };
  }
  // JSON has no numbers of 64 bits.
  const json = JSON.stringify(Object.fromEntries(members), (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  return { json, ...file };
}
