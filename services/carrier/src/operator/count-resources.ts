import sql, { type Sql } from "sql-template-tag";

/** Counts the labels of an account by their status. */
export function countResources(accountId: string): Sql {
  return sql`
    SELECT 'labels ' || status AS kind, environment, count(*) FROM labels WHERE account_id = ${accountId} GROUP BY status, environment`;
}
