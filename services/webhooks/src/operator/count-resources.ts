import sql, { type Sql } from "sql-template-tag";

/** Counts the subscriptions of an account by their status. */
export function countResources(accountId: string): Sql {
  return sql`
    SELECT 'subscriptions ' || status AS kind, environment, count(*) FROM subscriptions
    WHERE account_id = ${accountId} GROUP BY status, environment`;
}
