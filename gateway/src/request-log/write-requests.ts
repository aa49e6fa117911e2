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
 */
export async function writeRequests(deps: Deps, rows: readonly LogRow[], counts: readonly Count[]): Promise<void> {
  const now = performance.now();
  // In one order everywhere, or two gateways would wait for each other's counts.
  const counted = counts.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  await deps.db.run(sql`
    WITH no_wait_for_disk AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true), ${clock(deps)} AS clock),
    logged AS (
      INSERT INTO request_log (at, request_id, account_id, environment, key_id, method, path, status, code, fields, ms,
        idempotency_key, replayed, resource_id, source, user_agent, more)
      SELECT clock - age * interval '1 millisecond', request_id, account_id, environment, key_id, method, path, status, code, fields, ms,
        idempotency_key, replayed, resource_id, source, user_agent, more
      FROM no_wait_for_disk, unnest(
        ${rows.map(({ endedAt }) => now - endedAt)}::float8[], ${rows.map(({ requestId }) => requestId)}::text[],
        ${rows.map(({ caller }) => caller?.accountId)}::text[], ${rows.map(({ caller }) => caller?.environment)}::text[],
        ${rows.map(({ keyId }) => keyId)}::text[], ${rows.map(({ method }) => method)}::text[],
        ${rows.map(({ path }) => path)}::text[], ${rows.map(({ status }) => status)}::smallint[],
        ${rows.map(({ code }) => code)}::text[], ${rows.map(({ fields }) => fields)}::text[],
        ${rows.map(({ ms }) => ms)}::real[], ${rows.map(({ idempotencyKey }) => idempotencyKey)}::text[],
        ${rows.map(({ replayed }) => replayed)}::boolean[], ${rows.map(({ resourceId }) => resourceId)}::text[],
        ${rows.map(({ source }) => source)}::text[], ${rows.map(({ userAgent }) => userAgent)}::text[],
        ${rows.map(({ more }) => more)}::integer[]
      ) AS ended (age, request_id, account_id, environment, key_id, method, path, status, code, fields, ms,
        idempotency_key, replayed, resource_id, source, user_agent, more))
    INSERT INTO request_counts (account_id, environment, hour, outcome, count)
    SELECT account_id, environment, date_trunc('hour', clock, 'UTC'), outcome, count
    FROM no_wait_for_disk, unnest(
      ${counted.map(({ accountId }) => accountId)}::text[], ${counted.map(({ environment }) => environment)}::text[],
      ${counted.map(({ outcome }) => outcome)}::text[], ${counted.map(({ count }) => count)}::integer[]
    ) AS counted (account_id, environment, outcome, count)
    ON CONFLICT (account_id, environment, hour, outcome) DO UPDATE SET count = request_counts.count + EXCLUDED.count`);
}

function keyOf({ accountId, environment, outcome }: Count): string {
  return `${accountId} ${environment} ${outcome}`;
}

/** Whether a request is in the log. */
export async function isLogged({ db }: Pick<Deps, "db">, requestId: string): Promise<boolean> {
  const found = await db.run(sql`SELECT FROM request_log WHERE request_id = ${requestId} LIMIT 1`);
  return found.length > 0;
}
