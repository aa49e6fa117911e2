import sql, { type Sql } from "sql-template-tag";
import type { Caller } from "../caller.js";

/** The condition that every statement on owned data starts from: `account_id = $1 AND environment = $2`. */
export function ownedSql(caller: Caller): Sql {
  return sql`account_id = ${caller.accountId} AND environment = ${caller.environment}`;
}
