import { codesOf, type WantedRequests } from "@shipping/api/request-status";
import type { Caller } from "@shipping/kit/caller";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { ownedSql } from "@shipping/kit/postgres/owned/read-owned";
import sql, { join, type Sql } from "sql-template-tag";
import type { GatewayDeps } from "../database/deps.js";
import type { LoggedRequest } from "./logged-request.js";
import { columnEquals, type FoundRow, LOGGED, SELECT_FOUND, toLoggedRequest } from "./read-request.js";

export interface RequestPage {
  rows: LoggedRequest[];
  /** The value of `after` for the next page; absent on the last page. */
  nextCursor?: string;
  /** How far back the search looked; set only if it stopped at its limit of rows. */
  lookedBackTo?: Date;
}

type Deps = Pick<GatewayDeps, "db">;

/** How many rows a filter without an index reads for one page. */
const MAX_SCANNED = 2_000;

/** Lists requests of a caller, newest first. Filters with an index find any row; the others read a limited number of rows per page. */
export async function listRequests(
  deps: Deps,
  caller: Caller,
  wanted: WantedRequests,
  size: number,
): Promise<RequestPage> {
  const { status, method = null, keyId = null } = wanted;
  const succeeded = status === "2xx";
  const codes = status === undefined ? undefined : codesOf(status);
  const isFiltered = succeeded || method !== null || (codes !== undefined && keyId !== null);
  const most = isFiltered ? MAX_SCANNED : size + 1;
  const looked = newest(caller, { codes, keyId, isInTime: await timeCondition(deps, caller, wanted), most });
  const rows = await deps.db.runList<FoundRow>(sql`
    WITH looked AS MATERIALIZED (${looked}),
    found AS (
      SELECT * FROM looked
      WHERE (${!succeeded} OR code IS NULL) AND (${method}::text IS NULL OR method = ${method})
        AND (${keyId}::text IS NULL OR key_id = ${keyId})
      ORDER BY at DESC, request_id DESC LIMIT ${size + 1})
    ${SELECT_FOUND}`);
  const page = toPage(rows, size);
  if (page.nextCursor || !isFiltered) return page;
  const [last] = await deps.db.runList<{ requestId: string; at: Date }>(sql`
    SELECT request_id AS "requestId", at FROM (${looked}) AS looked
    ORDER BY looked.at DESC, looked.request_id DESC OFFSET ${most - 1} LIMIT 1`);
  return last ? { ...page, nextCursor: last.requestId, lookedBackTo: last.at } : page;
}

/** Finds the requests that concern one of these resources; with `idempotencyKeys`, also those that have one of the texts as idempotency key. */
export async function findRequests(
  deps: Deps,
  caller: Caller,
  { texts, idempotencyKeys }: { texts: readonly string[]; idempotencyKeys: boolean },
  { after, size }: { after?: string | undefined; size: number },
): Promise<RequestPage> {
  const columns = idempotencyKeys ? (["idempotency_key", "resource_id"] as const) : (["resource_id"] as const);
  const isInTime = await timeCondition(deps, caller, { after });
  const found = texts.flatMap((text) =>
    columns.map(
      (column) => sql`(
    SELECT ${LOGGED} FROM request_log
    WHERE ${columnEquals(column, caller, text)} AND ${isInTime}
    ORDER BY at DESC, request_id DESC LIMIT ${size + 1})`,
    ),
  );
  const rows = await deps.db.runList<FoundRow>(sql`
    WITH either AS (${join(found, " UNION ")}),
    found AS (SELECT * FROM either ORDER BY at DESC, request_id DESC LIMIT ${size + 1})
    ${SELECT_FOUND}`);
  return toPage(rows, size);
}

/** Lists the slowest writes of a caller among the latest requests of the last 24 hours, the slowest first. */
export async function listSlowestWrites(
  deps: Pick<GatewayDeps, "db" | "clockOffsetMs">,
  caller: Caller,
  most: number,
): Promise<LoggedRequest[]> {
  const isInTime = sql`at >= (SELECT ${databaseNow(deps)}) - interval '1 day'`;
  const rows = await deps.db.runList<FoundRow>(sql`
    WITH looked AS MATERIALIZED (${newest(caller, { codes: undefined, keyId: null, isInTime, most: MAX_SCANNED })}),
    found AS (
      SELECT * FROM looked WHERE code IS NULL AND NOT replayed AND method IN ('POST', 'DELETE') ORDER BY ms DESC LIMIT ${most})
    ${SELECT_FOUND}`);
  return rows.map(toLoggedRequest).sort((one, other) => other.ms - one.ms);
}

/** Selects the newest rows of a caller with one of these codes, or of this key. */
function newest(
  caller: Caller,
  asked: { codes: string[] | undefined; keyId: string | null; isInTime: Sql; most: number },
): Sql {
  const { codes, keyId, isInTime, most } = asked;
  const rows = (isTheirs: Sql) => sql`
    SELECT ${LOGGED} FROM request_log WHERE ${isTheirs} AND ${isInTime} ORDER BY at DESC, request_id DESC LIMIT ${most}`;
  if (!codes)
    return rows(
      keyId === null ? sql`${ownedSql(caller)} AND account_id IS NOT NULL` : columnEquals("key_id", caller, keyId),
    );
  return sql`
    SELECT one.* FROM unnest(${codes}::text[]) AS wanted (wanted_code)
    CROSS JOIN LATERAL (${rows(sql`${ownedSql(caller)} AND code = wanted_code`)}) AS one
    ORDER BY one.at DESC, one.request_id DESC LIMIT ${most}`;
}

/** The condition on the time of a request. `after` is ignored if the caller has no such request. */
async function timeCondition(
  deps: Deps,
  caller: Caller,
  { from, until, after }: Pick<WantedRequests, "from" | "until" | "after">,
): Promise<Sql> {
  const [begin] = after
    ? await deps.db.run<{ at: string }>(sql`
        SELECT at::text FROM request_log WHERE request_id = ${after} AND ${ownedSql(caller)} LIMIT 1`)
    : [];
  const conditions = [sql`true`];
  if (from) conditions.push(sql`at >= ${from}`);
  if (until) conditions.push(sql`at <= ${until}`);
  // The time as text: a JavaScript Date would lose the microseconds.
  if (begin)
    conditions.push(sql`at <= ${begin.at}::timestamptz AND (at, request_id) < (${begin.at}::timestamptz, ${after})`);
  return join(conditions, " AND ");
}

function toPage(read: readonly FoundRow[], size: number): RequestPage {
  const rows = read.slice(0, size).map(toLoggedRequest);
  const last = rows.at(-1);
  return read.length > size && last ? { rows, nextCursor: last.requestId } : { rows };
}
