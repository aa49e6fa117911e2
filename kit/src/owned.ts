import sql, { type Sql } from "sql-template-tag";
import type { Caller, Environment } from "./caller.js";

/** The condition that every query on owned data starts from, for Prisma's `where`. */
export function owned(caller: Caller): { accountId: string; environment: Environment } {
  return { accountId: caller.accountId, environment: caller.environment };
}

/** The same condition for a statement: `account_id = $1 AND environment = $2`. */
export function ownedSql(caller: Caller): Sql {
  return sql`account_id = ${caller.accountId} AND environment = ${caller.environment}`;
}
