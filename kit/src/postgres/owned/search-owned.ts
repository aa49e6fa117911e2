import type { Caller as CallerMessage, Search } from "@shipping/proto/shipping/common/v1/common_pb";
import sql, { join, raw, type Sql } from "sql-template-tag";
import { type Caller, requireCaller } from "../../caller.js";
import { type Columns, type Row, selectColumns } from "../columns.js";
import { ownedInIndex, ownedSql, type ReadDeps } from "./read-owned.js";

/**
 * Describes the search of a table. One index begins with the hash of `ownedInIndex`, state and time of creation, another with account,
 * environment and id.
 */
export interface SearchOptions<Of extends FoundColumns> {
  table: string;
  columns: Of;
  /** Every state that a row can have. */
  statuses: readonly string[];
  /** Columns that a text may equal, each with an index. */
  names: readonly Sql[];
}

type FoundColumns = Columns & { id: "text"; createdAt: "timestamptz" };

/** The result: one page. */
export interface Found<Row> {
  rows: Row[];
  /** The last id of the page; absent on the last page. */
  nextCursor?: string;
  /** The number of matches on all pages, if it was asked for. One more than the limit means that there are more. */
  matches?: number;
}

/** Where counting stops: of the rows that a filter leaves, and of the matches of a text. */
export const MAX_MATCHES = { filter: 10_000, text: 1_000 };

interface Wanted extends PlaceInList {
  caller: Caller;
  statuses: readonly string[];
  /** A further condition. An index has its columns between state and time of creation. */
  narrowing: Sql;
  /** The query reads one row more than the page shows, which tells whether there is another page. */
  most: number;
}

/**
 * Creates the search for a caller's rows, on the connections for lists. Without a text it reads a part of one index; with one, the rows
 * that match one of the text's interpretations. `narrowing` leaves out other rows.
 */
export function searchOwned<Of extends FoundColumns>(options: SearchOptions<Of>) {
  const { table, statuses } = options;
  return async (
    deps: ReadDeps,
    request: { caller?: CallerMessage | undefined; search?: Search | undefined },
    narrowing: Sql = sql`true`,
  ): Promise<Found<Row<Of>>> => {
    const caller = requireCaller(request);
    if (!request.search) throw new Error("The request does not say what to find.");
    const { limit, ids, status, countsMatches, ...search } = request.search;
    const text = search.text?.trim() ?? "";
    // PostgreSQL cannot store text with U+0000.
    if (text.includes("\0")) return { rows: [] };
    const place = await placeAfter(deps, { caller, table, ...search });
    const states = status === undefined ? statuses : [status];
    const wanted = { ...place, caller, statuses: states, narrowing, most: limit + 1 };
    const all = text === "" && ids.length === 0;
    const statement = all ? first(options, wanted) : matching(options, wanted, { text, ids });
    const [read, matches] = await Promise.all([
      deps.db.runList<Row<Of> & { id: string }>(statement),
      countsMatches && countMatches(deps, options, wanted, all ? undefined : { text, ids }),
    ]);
    const rows = read.slice(0, limit);
    return {
      rows,
      ...(read.length > limit && { nextCursor: rows.at(-1)!.id }),
      ...(matches !== false && { matches }),
    };
  };
}

/** Selects the first rows of each state, merged. */
function first({ table, columns }: SearchOptions<FoundColumns>, wanted: Wanted): Sql {
  const { caller, statuses, narrowing, from, before, at, id, most, sorting } = wanted;
  const { direction, follows } = DIRECTIONS[sorting];
  return sql`
    SELECT found.* FROM unnest(${[...statuses]}::text[]) AS wanted (status)
    CROSS JOIN LATERAL (
      SELECT ${selectColumns(columns)} FROM ${raw(table)}
      WHERE ${ownedInIndex(caller)} AND status = wanted.status AND ${narrowing} AND created_at >= ${from}::timestamptz
        AND created_at < ${before}::timestamptz AND (created_at, id) ${follows} (${at}::timestamptz, ${id})
      ORDER BY created_at ${direction}, id ${direction} LIMIT ${most}::bigint) AS found
    ORDER BY "createdAt" ${direction}, id ${direction} LIMIT ${most}::bigint`;
}

/** Counts the matches on all pages: a part of the index, or the rows that the text and these IDs name. */
async function countMatches(
  { db }: ReadDeps,
  options: SearchOptions<FoundColumns>,
  wanted: Wanted,
  named: Named | undefined,
): Promise<number> {
  const { caller, statuses, narrowing, from, before } = wanted;
  const inTime = sql`created_at >= ${from}::timestamptz AND created_at < ${before}::timestamptz`;
  const each = sql`
    SELECT id FROM unnest(${[...statuses]}::text[]) AS wanted (status) CROSS JOIN LATERAL (
      SELECT id FROM ${raw(options.table)}
      WHERE ${ownedInIndex(caller)} AND status = wanted.status AND ${narrowing} AND ${inTime}
      LIMIT ${MAX_MATCHES.filter + 1}::bigint) AS found
    LIMIT ${MAX_MATCHES.filter + 1}::bigint`;
  const matched =
    named &&
    sql`
    SELECT DISTINCT id FROM (${selectNamed(options, wanted, named)}) AS matched
    WHERE status = ANY(${[...statuses]}::text[]) AND ${inTime}`;
  const [counted] = await db.runList<{ count: number }>(
    sql`SELECT count(*)::integer AS count FROM (${matched ?? each}) AS counted`,
  );
  return counted!.count;
}

interface Named {
  text: string;
  ids: readonly string[];
}

/** Selects the rows that the text names, and those with these IDs. */
function selectNamed({ table, names }: SearchOptions<FoundColumns>, wanted: Wanted, { text, ids }: Named): Sql {
  const owned = sql`${ownedSql(wanted.caller)} AND ${wanted.narrowing}`;
  const read = sql`SELECT id, status, created_at FROM ${raw(table)} WHERE ${owned} AND`;
  const readings = [sql`${read} id = ANY(${[...ids]}::text[])`, ...names.map((name) => sql`${read} ${name} = ${text}`)];
  return join(readings, " UNION ALL ");
}

/** Selects the same rows, filtered by state and time, and sorted. */
function matching(options: SearchOptions<FoundColumns>, wanted: Wanted, named: Named): Sql {
  const { table, columns } = options;
  const { caller, statuses, from, before, at, id, most, sorting } = wanted;
  const { direction, follows } = DIRECTIONS[sorting];
  return sql`
    WITH page AS (
      SELECT DISTINCT created_at, id FROM (${selectNamed(options, wanted, named)}) AS matched
      WHERE status = ANY(${[...statuses]}::text[]) AND created_at >= ${from}::timestamptz
        AND created_at < ${before}::timestamptz AND (created_at, id) ${follows} (${at}::timestamptz, ${id})
      ORDER BY created_at ${direction}, id ${direction} LIMIT ${most}::bigint)
    SELECT found.* FROM page CROSS JOIN LATERAL (
      SELECT ${selectColumns(columns)} FROM ${raw(table)} WHERE ${ownedSql(caller)} AND id = page.id LIMIT 1) AS found
    ORDER BY found."createdAt" ${direction}, found.id ${direction}`;
}

/** The directions in which a list is sorted by time of creation, and where each begins. */
const DIRECTIONS = {
  newest: { direction: sql`DESC`, follows: sql`<`, beginning: { at: "infinity", id: "" } },
  oldest: { direction: sql`ASC`, follows: sql`>`, beginning: { at: "-infinity", id: "" } },
} as const;

/** The part of a list that a page shows. Times are ISO 8601, `-infinity` or `infinity`. */
export interface PlaceInList {
  /** The earliest time of creation. */
  from: string;
  /** The time before which rows were created. */
  before: string;
  /** Set to show only rows that come after this time and id. */
  at: string;
  id: string;
  sorting: keyof typeof DIRECTIONS;
}

/** Returns where a page begins in a list. After a row that the caller does not have, it is the first page. */
export async function placeAfter(
  { db }: ReadDeps,
  asked: {
    caller: Caller;
    table: string;
    createdFrom?: string | undefined;
    createdBefore?: string | undefined;
    after?: string | undefined;
    oldestFirst?: boolean | undefined;
  },
): Promise<PlaceInList> {
  const { caller, table, after, createdFrom: from = "-infinity", createdBefore: before = "infinity" } = asked;
  const sorting = asked.oldestFirst ? "oldest" : "newest";
  const [row] =
    after === undefined
      ? []
      : await db.runList<{ createdAt: Date }>(sql`
          SELECT created_at AS "createdAt" FROM ${raw(table)} WHERE ${ownedSql(caller)} AND id = ${after} LIMIT 1`);
  return row && after !== undefined
    ? { from, before, sorting, at: row.createdAt.toISOString(), id: after }
    : { from, before, sorting, ...DIRECTIONS[sorting].beginning };
}
