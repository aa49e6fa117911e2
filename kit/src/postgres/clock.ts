import sql, { type Sql } from "sql-template-tag";

/** The database's time, `plusMs` later. Tests move it with `clockOffsetMs`, which is 0 everywhere else. */
export function databaseNow({ clockOffsetMs }: { clockOffsetMs: number }, plusMs = 0): Sql {
  return sql`clock_timestamp() + ${clockOffsetMs + plusMs}::float8 * interval '1 ms'`;
}
