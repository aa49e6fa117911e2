import type { Caller } from "@shipping/kit/caller";
import { isId } from "@shipping/kit/ids";
import { ownedSql } from "@shipping/kit/postgres/owned";
import sql, { raw, type Sql } from "sql-template-tag";
import type { GatewayDeps } from "../database/deps.js";
import { LOGGED, type LoggedRequest, loggedRequest, NAMED, type NamedRow } from "./logged-request.js";

type Deps = Pick<GatewayDeps, "db">;

/** How many of the first requests with an idempotency key are looked at for the one that others repeat. */
const FIRST_REQUESTS = 100;

/** A request of a caller, by its id; undefined if the log does not have it, or has it under another caller. */
export async function readRequest(deps: Deps, caller: Caller, requestId: string): Promise<LoggedRequest | undefined> {
  return readOne(deps, requestId, ownedSql(caller));
}

/** A request of whomever, for operators. */
export async function readAnyRequest(deps: Deps, requestId: string): Promise<LoggedRequest | undefined> {
  return readOne(deps, requestId, sql`true`);
}

async function readOne({ db }: Deps, requestId: string, isTheirs: Sql): Promise<LoggedRequest | undefined> {
  if (!isId("req", requestId)) return undefined;
  const [row] = await db.run<NamedRow>(sql`
    WITH found AS (SELECT ${LOGGED} FROM request_log WHERE request_id = ${requestId} AND ${isTheirs} LIMIT 1)
    ${NAMED}`);
  return row && loggedRequest(row);
}

/** The id of the request whose answer a replay repeated, if the log still has it. */
export async function readReplayed(
  { db }: Deps,
  caller: Caller,
  { idempotencyKey, replayed }: Pick<LoggedRequest, "idempotencyKey" | "replayed">,
): Promise<string | undefined> {
  if (!replayed || idempotencyKey === null) return undefined;
  const [first] = await db.run<{ requestId: string }>(sql`
    SELECT request_id AS "requestId" FROM (
      SELECT at, request_id, replayed, code FROM request_log
      WHERE ${holds("idempotency_key", caller, idempotencyKey)}
      ORDER BY at LIMIT ${FIRST_REQUESTS}
    ) AS first
    WHERE NOT replayed AND code IS NULL
    ORDER BY at LIMIT 1`);
  return first?.requestId;
}

/** The condition that one of a caller's rows holds this, by which an index finds it. */
export function holds(column: "idempotency_key" | "resource_id" | "key_id", caller: Caller, text: string): Sql {
  const { accountId, environment } = caller;
  // As the indexes are written. A key's id is nobody else's.
  const [hashed, sought] =
    column === "key_id"
      ? [raw("hashtextextended(key_id, 0)"), text]
      : [raw(`hashtextextended(account_id || environment || ${column}, 0)`), accountId + environment + text];
  return sql`${ownedSql(caller)} AND ${hashed} = hashtextextended(${sought}::text, 0) AND ${raw(column)} = ${text}`;
}
