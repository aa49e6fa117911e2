import type { Caller } from "@shipping/kit/caller";
import type { Database } from "@shipping/kit/postgres/database";
import { rowsIn } from "@shipping/kit/testing/rows";
import sql, { type Sql } from "sql-template-tag";

interface LoggedRequest {
  requestId: string;
  method: string;
  path: string;
  status: number | null;
  code: string | null;
  source: string;
}

/** The requests of an account in the log, or the one with this ID. They are written in the background. */
export function loggedRequests(
  db: Database,
  where: { accountId: string; path?: string } | { requestId: string },
): Promise<LoggedRequest[]> {
  return rowsIn<LoggedRequest>(db, "request_log", where);
}

/** Logs a request of an account that was not answered. */
export async function logRequest(db: Database, { accountId, environment }: Caller, requestId: string): Promise<void> {
  await db.run(sql`
    INSERT INTO request_log (at, request_id, account_id, environment, method, path, ms, replayed, source, user_agent, more)
    VALUES (now(), ${requestId}, ${accountId}, ${environment}, 'POST', '/api/v1/orders', 1, false, '', '', 0)`);
}

/** Stores how many requests an account has sent in an hour that is so many hours ago, by outcome. */
export async function storeCounts(
  db: Database,
  { accountId, environment }: Caller,
  hoursAgo: number,
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  await db.run(sql`
    INSERT INTO request_counts (account_id, environment, hour, outcome, count)
    SELECT ${accountId}, ${environment}, date_trunc('hour', now(), 'UTC') - ${hoursAgo}::integer * interval '1 hour', outcome, count
    FROM unnest(${Object.keys(counts)}::text[], ${Object.values(counts).map(Math.round)}::integer[]) AS counted (outcome, count)`);
}

/** Moves the requests that count for rate limits this many seconds into the past. */
export async function backdateCounted(db: Database, seconds: number): Promise<void> {
  await db.run(sql`
    UPDATE rate_windows SET last_second = last_second - ${seconds}::integer,
      last_counted_at = last_counted_at - ${seconds}::integer * interval '1 second'`);
}

/** Moves the last request that counts for each rate limit, and with it those before it, to the present second. */
export async function countNow(db: Database): Promise<void> {
  await db.run(sql`
    UPDATE rate_windows SET last_second = floor(extract(epoch FROM clock_timestamp())), last_counted_at = clock_timestamp()`);
}

/** Counts so many requests of a key for its rate limit, in the present second. */
export async function useWindow(db: Database, keyId: string, requests: number): Promise<void> {
  await db.run(sql`
    UPDATE rate_windows SET last_second = floor(extract(epoch FROM clock_timestamp())), last_counted_at = clock_timestamp(),
      counters[61] = ${requests}::integer WHERE key_id = ${keyId}`);
}

/** Stores that a request under this key is being executed for an hour. */
export async function storeClaim(
  db: Database,
  { accountId, environment }: Caller,
  idempotencyKey: string,
): Promise<void> {
  await db.run(sql`
    INSERT INTO idempotency_registry (account_id, environment, idempotency_key, fingerprint, owner, state, token, attempts, lease_until)
    VALUES (${accountId}, ${environment}, ${idempotencyKey}, sha256('k'), 'carrier', 'claimed', 1, 1, now() + interval '1 hour')`);
}

/** Deletes the claims and results of an account. */
export async function forgetClaims(db: Database, accountId: string): Promise<void> {
  await db.run(sql`DELETE FROM idempotency_registry WHERE account_id = ${accountId}`);
}

/** A statement that logs so many refused requests of a key `key_a`, the latest first, with each of seven codes. */
export const manyRequests = ({ accountId, environment }: Caller, count: number): Sql => sql`
  INSERT INTO request_log (at, request_id, account_id, environment, key_id, method, path, status, code, ms, idempotency_key, resource_id, replayed, source, user_agent, more)
  SELECT now() - n * interval '10 us', 'req_' || n, ${accountId}, ${environment}, 'key_a', 'POST', '/api/v1/orders', 422,
    (ARRAY['invalid_request', 'not_found', 'unauthorized', 'rate_limited', 'missing_scope', 'invalid_json', 'idempotency_conflict'])[1 + n % 7],
    1, 'aaa', 'aaa', false, '', '', 0 FROM generate_series(1, ${count}::integer) AS n`;

/** A statement that logs so many requests of a caller that were answered, a thousand in each second, the latest first. */
export const answeredRequests = ({ accountId, environment }: Caller, count: number): Sql => sql`
  INSERT INTO request_log (at, request_id, account_id, environment, method, path, status, ms, replayed, source, user_agent, more)
  SELECT now() - n * interval '1 ms', 'req_fill_' || n, ${accountId}, ${environment}, 'GET', '/orders', 200, 1, false, '192.0.2.1', '', 0
  FROM generate_series(1, ${count}::integer) AS n`;

/** A statement that stores so many revoked keys, the latest first, `key_aaa…1` and so on. */
export const manyKeys = ({ accountId, environment }: Caller, count: number): Sql => sql`
  INSERT INTO api_keys (id, account_id, environment, name, hash, last_four, scopes, created_at, revoked_at)
  SELECT 'key_' || lpad(n::text, 26, 'a'), ${accountId}, ${environment}, 'aaa', sha256(n::text::bytea), 'aaaa', ARRAY['orders:read'], at, at
  FROM (SELECT n, now() - n * interval '10 ms' AS at FROM generate_series(1, ${count}::integer) AS n) AS stored`;
