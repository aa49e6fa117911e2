import sql from "sql-template-tag";
import { clock, type GatewayDeps } from "../database/deps.js";
import type { LogRow } from "./ended-request.js";

/** Requests that ended alike. */
export interface Count {
  accountId: string;
  environment: string;
  outcome: string;
  count: number;
}

type Deps = Pick<GatewayDeps, "db" | "clockOffsetMs">;

/**
 * Writes requests and counts in one statement, which waits for no disk. The time of a request is its age by the process's clock before the
 * database's: however wrong the clocks of gateways are, rows of all are in one order, and on the days for which there are partitions.
 * Nothing is written of an account whose erasure has begun: a request can have waited here for longer than its erasure does.
 */
export async function writeRequests(deps: Deps, rows: readonly LogRow[], counts: readonly Count[]): Promise<void> {
  const now = performance.now();
  const column = (read: (row: LogRow) => Value) => arrayOf(rows.map(read));
  // In one order everywhere, or two gateways would wait for each other's counts.
  const counted = counts.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const accounts = new Set([
    ...rows.map(({ caller }) => caller?.accountId ?? ""),
    ...counts.map(({ accountId }) => accountId),
  ]);
  await deps.db.run(sql`
    WITH no_wait_for_disk AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true), ${clock(deps)} AS clock),
    erasing AS (SELECT id FROM accounts WHERE id = ANY (${[...accounts]}::text[]) AND erasing_since IS NOT NULL),
    logged AS (
      INSERT INTO request_log (at, request_id, account_id, environment, key_id, method, path, status, code, cause, fields, ms,
        idempotency_key, replayed, resource_id, source, user_agent, more)
      SELECT clock - age * interval '1 millisecond', request_id, account_id, environment, key_id, method, path, status, code, cause, fields, ms,
        idempotency_key, replayed, resource_id, source, user_agent, more
      FROM no_wait_for_disk, unnest(
        ${column(({ endedAt }) => now - endedAt)}::float8[], ${column(({ requestId }) => requestId)}::text[],
        ${column(({ caller }) => caller?.accountId)}::text[], ${column(({ caller }) => caller?.environment)}::text[],
        ${column(({ keyId }) => keyId)}::text[], ${column(({ method }) => method)}::text[],
        ${column(({ path }) => path)}::text[], ${column(({ status }) => status)}::smallint[],
        ${column(({ code }) => code)}::text[], ${column(({ cause }) => cause)}::text[], ${column(({ fields }) => fields)}::text[],
        ${column(({ ms }) => ms)}::real[], ${column(({ idempotencyKey }) => idempotencyKey)}::text[],
        ${column(({ replayed }) => replayed)}::boolean[], ${column(({ resourceId }) => resourceId)}::text[],
        ${column(({ source }) => source)}::text[], ${column(({ userAgent }) => userAgent)}::text[],
        ${column(({ more }) => more)}::integer[]
      ) AS ended (age, request_id, account_id, environment, key_id, method, path, status, code, cause, fields, ms,
        idempotency_key, replayed, resource_id, source, user_agent, more)
      WHERE coalesce(account_id, '') NOT IN (SELECT id FROM erasing))
    INSERT INTO request_counts (account_id, environment, hour, outcome, count)
    SELECT account_id, environment, date_trunc('hour', clock, 'UTC'), outcome, count
    FROM no_wait_for_disk, unnest(
      ${counted.map(({ accountId }) => accountId)}::text[], ${counted.map(({ environment }) => environment)}::text[],
      ${counted.map(({ outcome }) => outcome)}::text[], ${counted.map(({ count }) => count)}::integer[]
    ) AS counted (account_id, environment, outcome, count)
    WHERE account_id NOT IN (SELECT id FROM erasing)
    ON CONFLICT (account_id, environment, hour, outcome) DO UPDATE SET count = request_counts.count + EXCLUDED.count`);
}

type Value = string | number | boolean | undefined;

// A PostgreSQL array as text. pg (8.23) makes the same at ten times the cost, of what every write pays for.
function arrayOf(values: readonly Value[]): string {
  return `{${values.map((value) => (value === undefined ? "NULL" : quoted(String(value)))).join()}}`;
}

function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, "\\$&") : text}"`;
}

function keyOf({ accountId, environment, outcome }: Count): string {
  return `${accountId} ${environment} ${outcome}`;
}

/** Whether any of these requests is in the log. */
export async function isAnyLogged({ db }: Pick<Deps, "db">, rows: readonly LogRow[]): Promise<boolean> {
  const ids = rows.map(({ requestId }) => requestId);
  const found = await db.run(
    sql`SELECT FROM unnest(${ids}::text[]) AS asked (id) JOIN request_log ON request_id = asked.id LIMIT 1`,
  );
  return found.length > 0;
}
