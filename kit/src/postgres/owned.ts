import sql, { type Sql } from "sql-template-tag";
import type { Caller } from "../caller.js";

/** The condition that every statement on owned data starts from: `account_id = $1 AND environment = $2`. */
export function ownedSql(caller: Caller): Sql {
  return sql`account_id = ${caller.accountId} AND environment = ${caller.environment}`;
}

/**
 * The same condition for the indexes of searches, which begin with this hash. So the planner cannot use one of them instead of the primary
 * key for a statement that names account, environment and id: planned while a table is small, such a statement would read all rows of the
 * account for ever.
 */
export function ownedInIndex({ accountId, environment }: Caller): Sql {
  const owner = sql`(${accountId}::text || ${environment}::text)`;
  return sql`hashtextextended(account_id || environment, 0) = hashtextextended(${owner}, 0) AND account_id || environment = ${owner}`;
}
