import type { Caller } from "@shipping/kit/caller";
import { isId } from "@shipping/kit/ids";
import { ownedSql } from "@shipping/kit/postgres/owned/read-owned";
import sql, { raw, type Sql } from "sql-template-tag";
import { type GatewayDeps, selectColumns } from "../database/deps.js";
import { COLUMN_NAMES, COLUMNS, type LoggedRequest } from "./logged-request.js";

/** The columns of `request_log` that the rows in `found` must have, see `SELECT_FOUND`. */
export const LOGGED = sql`at, ${COLUMN_NAMES}`;

/** The end of a statement that reads the rows in `found`, newest first, with the names of their API keys. */
export const SELECT_FOUND = sql`
  SELECT found.at, ${selectColumns(COLUMNS, "found")}, k.name AS "keyName", k.last_four AS "keyLastFour"
  FROM found LEFT JOIN api_keys k ON k.id = found.key_id AND k.account_id = found.account_id
  ORDER BY found.at DESC, found.request_id DESC`;

export type FoundRow = Omit<LoggedRequest, "fields"> & { fields: string | null };

export function toLoggedRequest({ fields, ...row }: FoundRow): LoggedRequest {
  return { ...row, fields: fields === null ? [] : JSON.parse(fields) };
}

type Deps = Pick<GatewayDeps, "db">;

/** How many of the first requests with an idempotency key are searched for the one that was executed. */
const FIRST_REQUESTS = 100;

/** Reads a caller's request by its ID; undefined if the log does not have it or it belongs to another caller. */
export async function readRequest(deps: Deps, caller: Caller, requestId: string): Promise<LoggedRequest | undefined> {
  return readOne(deps, requestId, ownedSql(caller));
}

/** Reads any account's request, for operators. */
export async function readAnyRequest(deps: Deps, requestId: string): Promise<LoggedRequest | undefined> {
  return readOne(deps, requestId, sql`true`);
}

async function readOne({ db }: Deps, requestId: string, isTheirs: Sql): Promise<LoggedRequest | undefined> {
  if (!isId("req", requestId)) return undefined;
  const [row] = await db.run<FoundRow>(sql`
    WITH found AS (SELECT ${LOGGED} FROM request_log WHERE request_id = ${requestId} AND ${isTheirs} LIMIT 1)
    ${SELECT_FOUND}`);
  return row && toLoggedRequest(row);
}

type ExecutedRequest = Pick<LoggedRequest, "requestId" | "at" | "method" | "path">;

/** Finds the request that was executed under an idempotency key; undefined if the log does not have it any more, or not yet. */
export async function readExecuted(
  { db }: Deps,
  caller: Caller,
  idempotencyKey: string,
): Promise<ExecutedRequest | undefined> {
  const [executed] = await db.run<ExecutedRequest>(sql`
    SELECT at, request_id AS "requestId", method, path FROM (
      SELECT at, request_id, method, path, replayed, code FROM request_log
      WHERE ${columnEquals("idempotency_key", caller, idempotencyKey)}
      ORDER BY at LIMIT ${FIRST_REQUESTS}
    ) AS first
    WHERE NOT replayed AND code IS NULL
    ORDER BY at LIMIT 1`);
  return executed;
}

/** The condition that a caller's row has this value in a column, written so that the column's hash index is used. */
export function columnEquals(column: "idempotency_key" | "resource_id" | "key_id", caller: Caller, text: string): Sql {
  const { accountId, environment } = caller;
  // These are the expressions of the indexes. Key IDs are unique across accounts.
  const [hashed, sought] =
    column === "key_id"
      ? [raw("hashtextextended(key_id, 0)"), text]
      : [raw(`hashtextextended(account_id || environment || ${column}, 0)`), accountId + environment + text];
  return sql`${ownedSql(caller)} AND ${hashed} = hashtextextended(${sought}::text, 0) AND ${raw(column)} = ${text}`;
}
