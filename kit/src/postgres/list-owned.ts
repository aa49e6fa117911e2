import type { Caller as CallerMessage } from "@shipping/proto/shipping/common/v1/common_pb";
import sql, { type Sql } from "sql-template-tag";
import { type Caller, callerOf } from "../caller.js";
import { coalesceOperation, type Placed } from "./micro-batch.js";
import { type Page, page } from "./page.js";
import type { ReadDeps } from "./read-owned.js";

/** A request for a page of a caller's rows: up to `limit` of those whose ids come after `after`. */
export interface ListRequest {
  caller?: CallerMessage | undefined;
  after?: string | undefined;
  limit: number;
}

/** Reads a page. */
export type ListOwned<Row, Deps = ReadDeps> = (deps: Deps, request: ListRequest) => Promise<Page<Row>>;

/** Pages of one statement, at most: few, since each is up to a hundred rows or 1.5 MB. */
const PAGES = 8;

interface Asked {
  caller: Caller;
  after: string;
  limit: number;
}

/**
 * Makes the list of a caller's rows, ascending by id. `select` writes the statement for one page, to which it is handed the condition:
 * `(isAsked) => sql`SELECT … FROM orders WHERE ${isAsked}``. Its rows have an `id`, and an index begins with account, environment and
 * id. Pages that are asked for at the same time share a statement, on the connections of lists.
 */
export function listOwned<Row extends { id: string }, Deps extends ReadDeps = ReadDeps>(
  select: (isAsked: Sql) => Sql,
): ListOwned<Row, Deps> {
  const isAsked = sql`account_id = asked.account_id AND environment = asked.environment AND id > asked.after`;
  const read = coalesceOperation<Deps, Asked, Row[]>({
    max: PAGES,
    async run({ db }, asked) {
      // One row more than is shown says that there is a next page.
      const rows = await db.runList<Row & Placed>(sql`
        SELECT asked.place, found.*
        FROM unnest(
          ${asked.map(({ caller }) => caller.accountId)}::text[], ${asked.map(({ caller }) => caller.environment)}::text[],
          ${asked.map(({ after }) => after)}::text[], ${asked.map(({ limit }) => limit + 1)}::bigint[]
        ) WITH ORDINALITY AS asked (account_id, environment, after, most, place)
        CROSS JOIN LATERAL (${select(isAsked)} ORDER BY id LIMIT asked.most) AS found
        ORDER BY asked.place, found.id`);
      const pages = asked.map((): Row[] => []);
      for (const { place, ...row } of rows) pages[Number(place) - 1]!.push(row as unknown as Row);
      return pages;
    },
  });
  return async (deps, request) => {
    const { after = "", limit } = request;
    return page(await read(deps, { caller: callerOf(request), after, limit }), limit);
  };
}
