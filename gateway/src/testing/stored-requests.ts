import type { Caller } from "@shipping/kit/caller";
import sql, { type Sql } from "sql-template-tag";

/** A statement that logs so many refused requests of a key `key_a`, the latest first, with each of seven codes. */
export const manyRequests = ({ accountId, environment }: Caller, count: number): Sql => sql`
  INSERT INTO request_log (at, request_id, account_id, environment, key_id, method, path, status, code, ms, idempotency_key, resource_id, replayed, source, user_agent, more)
  SELECT now() - n * interval '10 us', 'req_' || n, ${accountId}, ${environment}, 'key_a', 'POST', '/api/v1/orders', 422,
    (ARRAY['invalid_request', 'not_found', 'unauthorized', 'rate_limited', 'missing_scope', 'invalid_json', 'idempotency_conflict'])[1 + n % 7],
    1, 'aaa', 'aaa', false, '', '', 0 FROM generate_series(1, ${count}::integer) AS n`;

/** A statement that stores so many revoked keys, the latest first, `key_aaa…1` and so on. */
export const manyKeys = ({ accountId, environment }: Caller, count: number): Sql => sql`
  INSERT INTO api_keys (id, account_id, environment, name, hash, last_four, scopes, created_at, revoked_at)
  SELECT 'key_' || lpad(n::text, 26, 'a'), ${accountId}, ${environment}, 'aaa', sha256(n::text::bytea), 'aaaa', ARRAY['orders:read'], at, at
  FROM (SELECT n, now() - n * interval '10 ms' AS at FROM generate_series(1, ${count}::integer) AS n) AS stored`;
