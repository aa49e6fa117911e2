import sql, { type Sql } from "sql-template-tag";

/** Counts the tracking records of an account. */
export function countResources(accountId: string): Sql {
  return sql`
    SELECT 'tracking records' AS kind, environment, count(*) FROM tracking_records WHERE account_id = ${accountId} GROUP BY environment`;
}
