import sql, { empty, join, raw } from "sql-template-tag";
import type { Database } from "../postgres/database.js";

/** The values that rows must have, by column name in camel case: a value, null, or one of an array. */
export type Where = Readonly<Record<string, unknown>>;

/** Selects the rows of a table that have these values, with column names in camel case. */
export async function rowsIn<Row = Record<string, unknown>>(
  db: Database,
  table: string,
  where: Where = {},
): Promise<Row[]> {
  const conditions = Object.entries(where).map(([name, value]) => {
    const column = raw(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    return Array.isArray(value) ? sql`${column} = ANY (${value})` : sql`${column} IS NOT DISTINCT FROM ${value}`;
  });
  const all = conditions.length > 0 ? sql`WHERE ${join(conditions, " AND ")}` : empty;
  const rows = await db.run<object>(sql`SELECT * FROM ${raw(table)} ${all}`);
  return rows.map(
    (row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [camelCase(name), value])) as Row,
  );
}

/** Counts these rows. */
export async function countIn(db: Database, table: string, where: Where = {}): Promise<number> {
  return (await rowsIn(db, table, where)).length;
}

function camelCase(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
