import sql, { join, raw, type Sql } from "sql-template-tag";
import { columnName } from "../postgres/columns.js";
import type { Database } from "../postgres/database.js";

/** A place in a walk: where the page after it begins. The walk begins without one. */
export type Place = string | undefined;

/** One page of a walk. */
export interface WalkedPage<Row> {
  rows: Row[];
  /** Absent on the last page. */
  next?: string;
}

/** The values of a place: those of the key's columns. A place that names only the first ones stands before all rows that begin so. */
export function valuesOf(place: Place, columns: number): string[] {
  const values: unknown = place === undefined ? [] : JSON.parse(place);
  if (!Array.isArray(values) || values.some((value) => typeof value !== "string")) throw new Error("Not a place.");
  return Array.from({ length: columns }, (_, at) => values[at] ?? "");
}

/** The place of the row with this key. */
export const placeOf = (key: readonly string[]): string => JSON.stringify(key);

/**
 * Reads the rows of a table after a place, in the order of a key of text columns, on the connections for lists. Each page is one short
 * statement on the index of the key, so a walk holds up nothing, however large the table is.
 */
export async function walkTable<Row extends object>(
  { runList }: Pick<Database, "runList">,
  { table, key, columns, where }: { table: string; key: readonly (keyof Row & string)[]; columns: Sql; where?: Sql },
  { after, limit }: { after: Place; limit: number },
): Promise<WalkedPage<Row>> {
  const columnsOfKey = join(key.map((member) => raw(columnName(member))));
  const values = valuesOf(after, key.length).map((value) => sql`${value}::text`);
  const rows = await runList<Row>(sql`
    SELECT ${columns} FROM ${raw(table)} WHERE (${columnsOfKey}) > (${join(values)}) ${where ? sql`AND ${where}` : raw("")}
    ORDER BY ${columnsOfKey} LIMIT ${limit}::bigint`);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { rows, ...(last && { next: placeOf(key.map((member) => String(last[member]))) }) };
}
