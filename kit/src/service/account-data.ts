import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { Database } from "../postgres/database.js";

/** A table that contains rows of accounts. */
export interface AccountTable {
  name: string;
  /** Columns that identify a row of an account, in the order of an index. They must not be null. */
  key: readonly [string, ...string[]];
  /** The condition that a row belongs to the account; by default, `account_id = …`. */
  ownedBy?: (accountId: string) => Sql;
  /** Set if rows of an account have no index. Statements then scan the table in the order of its key, a limited number of rows each. */
  walked?: true;
  /** Set if the table is derived from other rows, so that an export leaves it out. */
  derived?: true;
  /** The content of `bytea` columns. Others, such as secrets and hashes, are never exported. */
  bytes?: Readonly<Record<string, "json" | "pdf">>;
}

/** The data that an owner stores about an account. A new table is one line here. */
export interface AccountData {
  /** Every table with rows of accounts, in the order of erasure: referencing rows come before referenced ones. */
  tables: readonly AccountTable[];
  /** All other tables, each with the reason why its rows need not be erased. */
  kept: Readonly<Record<string, string>>;
  /** A statement that counts, as `count`, the work that must end before the account can be erased. */
  inFlight?: (accountId: string) => Sql;
  /** A statement that runs before each batch of an erasure. */
  beforeErasure?: (accountId: string) => Sql;
}

/** An exported row: JSON with the names of the columns, and the file that belongs to it. */
export interface ExportedRow {
  json: string;
  fileName?: string | undefined;
  file?: Uint8Array;
}

/** Some rows of an account from one table. The next page begins at the cursor; without a cursor, this page was the last. */
export interface ExportPage {
  table: string;
  rows: ExportedRow[];
  nextCursor?: string | undefined;
}

/** The number of rows of one table that were erased, and the cursor as in `ExportPage`. */
export interface ErasedBatch extends Omit<ExportPage, "rows"> {
  rows: number;
}

/** The maximum number of rows and bytes that a statement reads, deletes or scans. */
export interface PageSizes {
  rows: number;
  bytes: number;
  walked: number;
}

// A batch of this size locks its rows for only tens of milliseconds. The bytes are those of the largest RPC response.
const SIZES: PageSizes = { rows: 500, bytes: 4 * 1024 * 1024, walked: 20_000 };

type Row = Record<string, unknown> & { page_key: string[] | null; scan_end: string[] | null };

/** Reads one page of the data stored about an account. Rows that are written during an export may be missing. */
export async function exportPage(
  db: Database,
  data: AccountData,
  { accountId, cursor }: { accountId: string; cursor?: string | undefined },
  sizes: PageSizes = SIZES,
): Promise<ExportPage> {
  const [table, afterKey] = parseCursor(data, cursor);
  if (table.derived) return { table: table.name, rows: [], ...continueAt(data, table, null) };
  // A row without a key only reports the end of the scan.
  const answered = await query<Row>(
    db,
    sql`WITH page AS MATERIALIZED (
        SELECT *, ${keyAsText(table)} AS page_key FROM ${examinedRows(table, afterKey, sizes)}
        WHERE ${ownedBy(table, accountId)} ORDER BY ${keyColumns(table)} LIMIT ${sizes.rows})
      SELECT page.*, scan.scan_end FROM (SELECT ${endOfScan(table, afterKey, sizes)} AS scan_end) AS scan LEFT JOIN page ON true
      ORDER BY ${raw(table.key.map((column) => `page.${column}`).join(", "))}`,
  );
  const found = answered.filter((row) => row.page_key);
  const rows: ExportedRow[] = [];
  let bytes = 0;
  for (const row of found) {
    const exported = toExportedRow(table, row);
    bytes += exported.json.length + (exported.file?.length ?? 0);
    if (rows.length > 0 && bytes > sizes.bytes) break;
    rows.push(exported);
  }
  const isFull = rows.length < found.length || rows.length === sizes.rows;
  const last = isFull ? found[rows.length - 1]!.page_key : answered[0]!.scan_end;
  return { table: table.name, rows, ...continueAt(data, table, last) };
}

/** Deletes one batch of the data stored about an account. An interrupted erasure can start again without a cursor. */
export async function eraseBatch(
  db: Database,
  data: AccountData,
  { accountId, cursor }: { accountId: string; cursor?: string | undefined },
  sizes: PageSizes = SIZES,
): Promise<ErasedBatch> {
  if (!cursor && data.beforeErasure) await query(db, data.beforeErasure(accountId));
  const [table, afterKey] = parseCursor(data, cursor);
  const columns = table.key.map((column) => raw(`${table.name}.${column}`));
  // Rows are deleted by the key, because `ctid` is unique only within one partition.
  const [gone] = await query<{ rows: number; last: string[] | null }>(
    db,
    sql`WITH page AS MATERIALIZED (
        SELECT ${join(columns.map((column, nth) => sql`${column} AS ${raw(`key_${nth}`)}`))}, ${keyAsText(table)} AS page_key
        FROM ${examinedRows(table, afterKey, sizes)} WHERE ${ownedBy(table, accountId)} ORDER BY ${keyColumns(table)} LIMIT ${sizes.rows}),
      gone AS (
        DELETE FROM ${raw(table.name)} USING page
        WHERE ${ownedBy(table, accountId)} AND ${join(
          columns.map((column, nth) => sql`${column} = ${raw(`page.key_${nth}`)}`),
          " AND ",
        )}
        RETURNING 1)
      SELECT (SELECT count(*)::integer FROM gone) AS rows,
        coalesce((SELECT page_key FROM page OFFSET ${sizes.rows - 1}), ${endOfScan(table, afterKey, sizes)}) AS last`,
  );
  return { table: table.name, rows: gone!.rows, ...continueAt(data, table, gone!.last) };
}

/** Counts the account's work in progress. */
export async function countInFlight(db: Database, data: AccountData, accountId: string): Promise<number> {
  if (!data.inFlight) return 0;
  const [row] = await query<{ count: bigint }>(db, data.inFlight(accountId));
  return Number(row!.count);
}

// The statement is not prepared, because `*` can change with a migration. It uses the connections for lists, so that other requests keep
// theirs.
async function query<R>(db: Database, { text, values }: Sql): Promise<R[]> {
  return (await db.listPool.query({ text, values: [...values] })).rows as R[];
}

/** Reads a cursor: its table, and the key after which the next page begins. */
function parseCursor({ tables }: AccountData, cursor: string | undefined): [AccountTable, string[] | undefined] {
  const [name, ...key] = cursor ? (JSON.parse(cursor) as string[]) : [tables[0]!.name];
  const table = tables.find((one) => one.name === name);
  if (!table) throw new Error(`No table ${name} belongs to accounts.`);
  return [table, key.length > 0 ? key : undefined];
}

/** Returns the cursor after this key, or else at the start of the next table. */
function continueAt({ tables }: AccountData, table: AccountTable, key: string[] | null): { nextCursor?: string } {
  const next = key
    ? [table.name, ...key]
    : tables.slice(tables.indexOf(table) + 1, tables.indexOf(table) + 2).map(({ name }) => name);
  return next.length > 0 ? { nextCursor: JSON.stringify(next) } : {};
}

/** Selects the rows that one statement may examine, under the name of the table. */
function examinedRows(table: AccountTable, afterKey: string[] | undefined, sizes: PageSizes): Sql {
  const name = raw(table.name);
  const limit = table.walked ? sql`ORDER BY ${keyColumns(table)} LIMIT ${sizes.walked}` : empty;
  return sql`(SELECT * FROM ${name} ${whereAfter(table, afterKey)} ${limit}) AS ${name}`;
}

/**
 * Selects the last key that a statement examines if its page is not full; null at the end of the table. It is computed in the same
 * statement, because deletions would change it.
 */
function endOfScan(table: AccountTable, afterKey: string[] | undefined, sizes: PageSizes): Sql {
  if (!table.walked) return sql`NULL::text[]`;
  return sql`CASE WHEN (SELECT count(*) FROM page) < ${sizes.rows} THEN (
    SELECT ${keyAsText(table)} FROM ${raw(table.name)} ${whereAfter(table, afterKey)}
    ORDER BY ${keyColumns(table)} OFFSET ${sizes.walked - 1} LIMIT 1) END`;
}

const whereAfter = (table: AccountTable, afterKey: string[] | undefined) =>
  afterKey ? sql`WHERE (${keyColumns(table)}) > (${join(afterKey)})` : empty;

const ownedBy = ({ ownedBy }: AccountTable, accountId: string) =>
  ownedBy?.(accountId) ?? sql`account_id = ${accountId}`;

const keyColumns = ({ name, key }: AccountTable) => raw(key.map((column) => `${name}.${column}`).join(", "));

const keyAsText = ({ name, key }: AccountTable) =>
  raw(`ARRAY[${key.map((column) => `${name}.${column}::text`).join(", ")}]`);

function toExportedRow({ key, bytes = {} }: AccountTable, { page_key, scan_end, ...row }: Row): ExportedRow {
  const members: [string, unknown][] = [];
  let file: Pick<ExportedRow, "fileName" | "file"> = {};
  for (const [column, value] of Object.entries(row)) {
    if (!Buffer.isBuffer(value)) members.push([column, value]);
    else if (bytes[column] === "json") members.push([column, JSON.parse(value.toString())]);
    else if (bytes[column]) file = { fileName: `${row[key.at(-1)!]}.${bytes[column]}`, file: value };
  }
  // A bigint is exported as text, because JSON has no 64-bit numbers.
  const json = JSON.stringify(Object.fromEntries(members), (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  return { json, ...file };
}
