import type { Caller } from "@shipping/kit/caller";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { type Columns, unnestRows } from "@shipping/kit/postgres/columns";
import type { Database } from "@shipping/kit/postgres/database";
import { microBatch } from "@shipping/kit/postgres/micro-batch";
import { readOwned } from "@shipping/kit/postgres/owned/read-owned";
import sql from "sql-template-tag";
import { isLive, type RegistryRow } from "../idempotency/registry.js";

export interface AdmitDeps {
  db: Database;
  requestsPerMinute: number;
  clockOffsetMs: number;
}

/** The result of authentication: the caller, whether the request is within the rate limit, and the registry's row of its idempotency key. */
export interface Admission {
  keyId: string;
  caller: Caller;
  accountName: string;
  scopes: string[];
  within: boolean;
  remaining: number;
  /** Seconds until the oldest counted request leaves the window, 60 at most. */
  resetSeconds: number;
  registry?: RegistryRow;
}

export interface Presented {
  keyHash: Buffer;
  idempotencyKey?: string | undefined;
}

const presentedColumns = { keyHash: "bytea", idempotencyKey: "text?" } as const satisfies Columns;

type Row = Omit<Admission, "caller" | "registry"> &
  Caller & { ordinal: number } & (RegistryRow | { [Column in keyof RegistryRow]: null });

/**
 * Admits a request and counts it if it is within the limit. Resolves with undefined if its key is unknown, expired or revoked, or its account
 * suspended. Requests that arrive during a round trip share the next one.
 */
export function createAdmit(deps: AdmitDeps): (presented: Presented) => Promise<Admission | undefined> {
  return microBatch({ run: (all) => admitMany(deps, all), keyOf: ({ keyHash }) => keyHash.toString("base64") });
}

/**
 * Admits several requests in one statement. No two may have the same key.
 *
 * - synchronous_commit is off: after a crash of PostgreSQL, at most the counts of the last 0.6 s are lost.
 * - Rows are locked in the order of the hashes, so that two statements cannot deadlock. The clock is read after the locks, so that
 *   requests are counted in the order of their times.
 * - A refused request is not counted.
 * - There is one counter per second, and it leaves the window after 60 to 61 seconds. If the last counted request is 60 seconds old, all
 *   counters leave, so that a client that has waited as told finds an empty window.
 * - If the clock was set back by up to 61 seconds, requests are counted in the latest second; by more, the window moves back with it.
 * - OFFSET 0 makes PostgreSQL compute a value once, not again wherever it is used.
 * - LIMIT 1 makes each key and account an index look-up. Otherwise a plan from a time with few accounts would read both tables.
 */
async function admitMany(deps: AdmitDeps, presented: readonly Presented[]): Promise<(Admission | undefined)[]> {
  const { requestsPerMinute, clockOffsetMs } = deps;
  const rows = presented.map(({ keyHash, idempotencyKey = null }) => ({ keyHash, idempotencyKey }));
  const found = await deps.db.run<Row>(sql`
    WITH timed AS MATERIALIZED (
      SELECT *, clock_timestamp() + ${clockOffsetMs} * interval '1 millisecond' AS clock,
        set_config('synchronous_commit', 'off', true) AS asynchronous_commit
      FROM (
        SELECT ordinal, idempotency_key, k.id, k.account_id, a.name, k.environment, k.scopes, k.expires_at, k.last_used_at,
          w.counters, w.last_second, w.last_counted_at
        FROM ${unnestRows(presentedColumns, rows)}
        CROSS JOIN LATERAL (SELECT * FROM api_keys WHERE hash = key_hash LIMIT 1) AS k
        CROSS JOIN LATERAL (SELECT name, suspended_at FROM accounts WHERE id = k.account_id LIMIT 1) AS a
        JOIN rate_windows w ON w.key_id = k.id
        WHERE k.revoked_at IS NULL AND a.suspended_at IS NULL
        ORDER BY key_hash
        FOR UPDATE OF w) AS locked),
    counted AS MATERIALIZED (
      SELECT *, CASE WHEN last_second - second BETWEEN 1 AND 61 THEN last_second ELSE second END AS this_second,
        counters[gone + 1:61] || array_fill(0, ARRAY[gone]) AS slots, counted < ${requestsPerMinute} AS within
      FROM timed, LATERAL (SELECT floor(extract(epoch FROM clock))::bigint AS second OFFSET 0) AS tick,
        LATERAL (
          SELECT CASE WHEN last_counted_at <= clock - interval '60 seconds' THEN 61
            ELSE least(greatest(second - last_second, 0), 61)::integer END AS gone OFFSET 0) AS step,
        LATERAL (
          SELECT coalesce(sum(n), 0)::integer AS counted, min(at) AS oldest
          FROM unnest(counters[gone + 1:61]) WITH ORDINALITY AS slot (n, at) WHERE n > 0) AS sum
      WHERE expires_at IS NULL OR expires_at > clock),
    windows AS (
      UPDATE rate_windows w
      SET counters = CASE WHEN within THEN slots[1:60] || (slots[61] + 1) ELSE slots END, last_second = this_second,
        last_counted_at = CASE WHEN this_second < counted.last_second THEN clock ELSE greatest(clock, counted.last_counted_at) END
      FROM counted WHERE w.key_id = counted.id AND (within OR this_second < counted.last_second)),
    used AS (
      UPDATE api_keys k SET last_used_at = date_trunc('minute', clock)
      FROM counted WHERE k.id = counted.id AND counted.last_used_at IS DISTINCT FROM date_trunc('minute', clock))
    SELECT ordinal::integer, c.id AS "keyId", c.account_id AS "accountId", c.name AS "accountName", c.environment, c.scopes, within,
      greatest(${requestsPerMinute} - counted - within::integer, 0) AS remaining, least(coalesce(oldest, 61), 60)::integer AS "resetSeconds",
      fingerprint, owner, state, token, attempts, state = 'claimed' AND ${isLive(sql`clock`)} AS "leaseLive"
    FROM counted AS c LEFT JOIN idempotency_registry USING (account_id, environment, idempotency_key)`);
  const admitted = new Map(found.map((row) => [row.ordinal, toAdmission(row)]));
  return presented.map((_, index) => admitted.get(index + 1));
}

function toAdmission({ ordinal: _, accountId, environment, ...row }: Row): Admission {
  const { fingerprint, owner, state, token, attempts, leaseLive, ...admission } = row;
  const caller = { accountId, environment };
  if (fingerprint === null) return { ...admission, caller };
  return { ...admission, caller, registry: { fingerprint, owner, state, token, attempts, leaseLive } };
}

type KeyDeps = Pick<AdmitDeps, "db" | "clockOffsetMs">;

/** Whether an admitted key is still neither revoked nor expired, and its account not suspended. Does not count as a request. */
export async function isKeyValid(
  deps: KeyDeps,
  { caller, keyId }: Pick<Admission, "caller" | "keyId">,
): Promise<boolean> {
  return (await findValidKey(deps, { caller, id: keyId })) !== undefined;
}

const findValidKey = readOwned<{ id: string }, KeyDeps>(
  "id",
  (askedCondition, deps) => sql`
    SELECT id FROM api_keys
    WHERE ${askedCondition} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${databaseNow(deps)})
      AND EXISTS (SELECT FROM accounts WHERE accounts.id = api_keys.account_id AND suspended_at IS NULL)`,
);
