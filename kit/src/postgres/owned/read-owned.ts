import sql, { raw, type Sql } from "sql-template-tag";
import type { Caller } from "../../caller.js";
import { type Columns, type Select, unnestRows } from "../columns.js";
import type { Database } from "../database.js";
import { byOrdinal, microBatchOperation, type WithOrdinal } from "../micro-batch.js";

/** The row to read, by its owner and its ID or another key. */
export interface Asked {
  caller: Caller;
  id: string;
}

export interface ReadDeps {
  db: Database;
}

/** Reads one row; undefined if the caller has no row with that key. */
export type ReadOwned<Row, Deps = ReadDeps> = (deps: Deps, asked: Asked) => Promise<Row | undefined>;

const askedColumns = { accountId: "text", environment: "text", id: "text" } as const satisfies Columns;

/**
 * Creates the read of a caller's row by the column that holds its key. `select` returns the statement for one row, given its condition:
 * `selectFrom("orders", columns)`. Reads that wait at the same time share a statement.
 */
export function readOwned<Row extends object, Deps extends ReadDeps = ReadDeps>(
  key: string,
  select: ((askedCondition: Sql, deps: Deps) => Sql) & Pick<Select<Row>, "found">,
): ReadOwned<Row, Deps> {
  const askedCondition = sql`account_id = given.account_id AND environment = given.environment AND ${raw(key)} = given.id`;
  return microBatchOperation<Deps, Asked, Row | undefined>({
    async run(deps, asked) {
      // LIMIT keeps the planner from reversing the join: a plan made while the table was small would scan all of it permanently.
      const keys = asked.map(({ caller, id }) => ({ ...caller, id }));
      const rows = await deps.db.run<Row & WithOrdinal>(sql`
        SELECT given.ordinal, found.*
        FROM ${unnestRows(askedColumns, keys)}
        CROSS JOIN LATERAL (${select(askedCondition, deps)} LIMIT 1) AS found`);
      return byOrdinal(rows, asked.length);
    },
  });
}

/** The condition that every statement on owned data starts from: `account_id = $1 AND environment = $2`. */
export function ownedSql(caller: Caller): Sql {
  return sql`account_id = ${caller.accountId} AND environment = ${caller.environment}`;
}

/**
 * The same condition for the indexes of searches, which begin with this hash. So the planner cannot use one of them instead of the primary
 * key for a statement that names account, environment and id: planned while a table is small, such a statement would permanently read all
 * rows of the account.
 */
export function ownedInIndex({ accountId, environment }: Caller): Sql {
  const owner = sql`(${accountId}::text || ${environment}::text)`;
  return sql`hashtextextended(account_id || environment, 0) = hashtextextended(${owner}, 0) AND account_id || environment = ${owner}`;
}
