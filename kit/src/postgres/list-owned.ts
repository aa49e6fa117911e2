import type { Caller as CallerMessage } from "@shipping/proto/shipping/common/v1/common_pb";
import sql, { type Sql } from "sql-template-tag";
import { type Caller, callerOf } from "../caller.js";
import { microBatchOperation, type WithOrdinal } from "./micro-batch.js";
import { MOST_PAGE_BYTES, page, type RowPage } from "./page.js";
import type { ReadDeps } from "./read-owned.js";

/** A request for a page of a caller's rows: up to `limit` of those whose ids come after `after`. */
export interface ListRequest {
  caller?: CallerMessage | undefined;
  after?: string | undefined;
  limit: number;
}

/** Reads a page. */
export type ListOwned<Row, Deps = ReadDeps> = (deps: Deps, request: ListRequest) => Promise<RowPage<Row>>;

/** Pages of one statement, at most: few, since each is up to a hundred rows or 1.5 MB. */
const PAGES = 8;

/**
 * How much is read for a page, by what PostgreSQL writes as JSON: it puts blanks where JSON.stringify has none, and so has up to half as much
 * again for the same row. Rows beyond that would be decoded for nothing. One more row is always read: it says that there is a next page.
 */
const MOST_READ_BYTES = 2 * MOST_PAGE_BYTES;

interface Asked {
  caller: Caller;
  after: string;
  limit: number;
}

/**
 * Makes the list of a caller's rows, ascending by id. `select` writes the statement for one page from the condition that it is given:
 * `(isAsked) => sql`SELECT … FROM orders WHERE ${isAsked}``. Its rows have an `id`, and an index begins with account, environment and
 * id. Pages that are requested at the same time share a statement, on the connections of lists.
 */
export function listOwned<Row extends { id: string }, Deps extends ReadDeps = ReadDeps>(
  select: (isAsked: Sql) => Sql,
): ListOwned<Row, Deps> {
  const isAsked = sql`account_id = asked.account_id AND environment = asked.environment AND id > asked.after`;
  const read = microBatchOperation<Deps, Asked, Row[]>({
    max: PAGES,
    async run({ db }, asked) {
      // One row more than is shown says that there is a next page.
      const rows = await db.runList<Row & WithOrdinal & { bytes: bigint | null }>(sql`
        SELECT asked.ordinal, found.*
        FROM unnest(
          ${asked.map(({ caller }) => caller.accountId)}::text[], ${asked.map(({ caller }) => caller.environment)}::text[],
          ${asked.map(({ after }) => after)}::text[], ${asked.map(({ limit }) => limit + 1)}::bigint[]
        ) WITH ORDINALITY AS asked (account_id, environment, after, most, ordinal)
        CROSS JOIN LATERAL (
          SELECT page.*, sum(octet_length(to_json(page)::text))
            OVER (ORDER BY page.id ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) AS bytes
          FROM (${select(isAsked)} ORDER BY id LIMIT asked.most) AS page
        ) AS found
        WHERE found.bytes IS NULL OR found.bytes <= ${MOST_READ_BYTES}::bigint
        ORDER BY asked.ordinal, found.id`);
      const pages = asked.map((): Row[] => []);
      for (const { ordinal, bytes: _, ...row } of rows) pages[Number(ordinal) - 1]!.push(row as unknown as Row);
      return pages;
    },
  });
  return async (deps, request) => {
    const { after = "", limit } = request;
    return page(await read(deps, { caller: callerOf(request), after, limit }), limit);
  };
}
