import sql, { type Sql } from "sql-template-tag";

/** Counts the orders and shipments of an account. */
export function countResources(accountId: string): Sql {
  return sql`
    SELECT 'orders' AS kind, environment, count(*) FROM orders WHERE account_id = ${accountId} GROUP BY environment
    UNION ALL
    SELECT 'shipments', environment, count(*) FROM shipments WHERE account_id = ${accountId} GROUP BY environment`;
}
