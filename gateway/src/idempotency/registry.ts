import type { Client } from "@connectrpc/connect";
import type { Caller } from "@shipping/kit/caller";
import type { Random } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import { byOrdinal, microBatchOperation, type WithOrdinal } from "@shipping/kit/postgres/micro-batch";
import { ownedSql } from "@shipping/kit/postgres/owned";
import { readOwned } from "@shipping/kit/postgres/read-owned";
import type { Log } from "@shipping/kit/process/log";
import type { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import sql, { type Sql } from "sql-template-tag";
import { clock } from "../database/deps.js";

/** The service whose ledger holds the result of a key. */
export type Owner = "records" | "carrier" | "webhooks";

/** Names a row of the registry. */
export interface RegistryKey {
  caller: Caller;
  idempotencyKey: string;
}

/** A row of the registry: which request used the key, which service has its result, and whether that request has ended. */
export interface RegistryRow {
  fingerprint: Buffer;
  owner: Owner;
  state: "claimed" | "done";
  /** Fences: of two claims the later one has the higher token. */
  token: bigint;
  /** How often the claim was sent to its owner. */
  attempts: number;
  /** Whether the claim was being worked on when the row was read, by the database's clock. */
  leaseLive: boolean;
}

/** A request that wants a key. */
export interface RegistryRequest extends RegistryKey {
  fingerprint: Buffer;
  owner: Owner;
}

export interface RegistryDeps {
  db: Database;
  log: Log;
  random: Random;
  clockOffsetMs: number;
  clients: { ledgers: Record<Owner, Client<typeof LedgerService>> };
}

type Deps = Pick<RegistryDeps, "db" | "clockOffsetMs">;

/** Longer than a write takes, shorter than an equal request waits. Only politeness: the owner's ledger is the safety. */
const LEASE = sql`interval '4 seconds'`;

/**
 * True while a claim's lease lasts. A lease that ends later than any can was given before the database's clock was set back, so it counts as
 * over.
 */
export function isLive(now: Sql): Sql {
  return sql`(lease_until > ${now} AND lease_until < ${now} + interval '10 seconds')`;
}

/** Reads the row of a key. */
export function peekKey(deps: Deps, { caller, idempotencyKey }: RegistryKey): Promise<RegistryRow | undefined> {
  return readRow(deps, { caller, id: idempotencyKey });
}

const readRow = readOwned<RegistryRow, Deps>(
  "idempotency_key",
  (askedCondition, deps) => sql`
    SELECT fingerprint, owner, state, token, attempts,
      state = 'claimed' AND ${isLive(clock(deps))} AS "leaseLive"
    FROM idempotency_registry WHERE ${askedCondition}`,
);

/** Claims a key that has no row. Returns the token, or undefined if another request was faster. Claims that wait share a statement. */
export const claimKey = microBatchOperation<Deps, RegistryRequest, bigint | undefined>({ run: claimKeys });

// Sorted, so that no two statements wait for each other's keys. Of equal keys the first gets it, as if the others had come later.
async function claimKeys(deps: Deps, requests: readonly RegistryRequest[]): Promise<(bigint | undefined)[]> {
  const rows = await deps.db.run<WithOrdinal & { token: bigint }>(sql`
    WITH wanted AS (
      SELECT DISTINCT ON (account_id, environment, idempotency_key) * FROM unnest(
        ${requests.map(({ caller }) => caller.accountId)}::text[],
        ${requests.map(({ caller }) => caller.environment)}::text[],
        ${requests.map(({ idempotencyKey }) => idempotencyKey)}::text[],
        ${requests.map(({ fingerprint }) => fingerprint)}::bytea[],
        ${requests.map(({ owner }) => owner)}::text[]
      ) WITH ORDINALITY AS wanted (account_id, environment, idempotency_key, fingerprint, owner, ordinal)
      ORDER BY account_id, environment, idempotency_key, ordinal),
    claimed AS (
      INSERT INTO idempotency_registry
        (account_id, environment, idempotency_key, fingerprint, owner, state, token, attempts, lease_until)
      SELECT account_id, environment, idempotency_key, fingerprint, owner,
        'claimed', nextval('idempotency_token'), 1, ${clock(deps)} + ${LEASE}
      FROM wanted ORDER BY account_id, environment, idempotency_key
      ON CONFLICT DO NOTHING
      RETURNING account_id, environment, idempotency_key, token)
    SELECT ordinal, token FROM claimed JOIN wanted USING (account_id, environment, idempotency_key)`);
  return byOrdinal(rows, requests.length).map((row) => row?.token);
}

/** Joins a claim whose lease is over, under its own token: for an equal request. */
export async function rejoinClaim(deps: Deps, key: RegistryKey, token: bigint): Promise<bigint | undefined> {
  const [row] = await deps.db.run<{ token: bigint }>(sql`
    UPDATE idempotency_registry SET attempts = attempts + 1, lease_until = ${clock(deps)} + ${LEASE}
    WHERE ${isClaim(key, token)} AND NOT ${isLive(clock(deps))}
    RETURNING token`);
  return row?.token;
}

/** Puts a new claim in the place of a row, if that is still as it was read and its own request can never be executed any more. */
export async function takeOverKey(
  deps: Deps,
  request: RegistryRequest,
  row: Pick<RegistryRow, "token" | "state">,
): Promise<bigint | undefined> {
  const [taken] = await deps.db.run<{ token: bigint }>(sql`
    UPDATE idempotency_registry
    SET fingerprint = ${request.fingerprint}, owner = ${request.owner}, state = 'claimed',
      token = nextval('idempotency_token'), attempts = 1, lease_until = ${clock(deps)} + ${LEASE}
    WHERE ${isKey(request)} AND token = ${row.token} AND state = ${row.state}
    RETURNING token`);
  return taken?.token;
}

/** Ends a lease early, so that the next request need not wait for it. */
export async function endLease(deps: Deps, key: RegistryKey, token: bigint): Promise<void> {
  await deps.db.run(sql`
    UPDATE idempotency_registry SET lease_until = ${clock(deps)} WHERE ${isClaim(key, token)}`);
}

/** Deletes a claim that only this request has sent to its owner. Says whether it existed. */
export async function deleteSoleClaim(deps: Deps, key: RegistryKey, token: bigint): Promise<boolean> {
  const rows = await deps.db.run(sql`
    DELETE FROM idempotency_registry WHERE ${isClaim(key, token)} AND attempts = 1 RETURNING token`);
  return rows.length > 0;
}

/** Deletes a claim that its owner has fenced off. Says whether it existed. */
export async function deleteFencedClaim(deps: Deps, key: RegistryKey, token: bigint): Promise<boolean> {
  const rows = await deps.db.run(sql`
    DELETE FROM idempotency_registry WHERE ${isClaim(key, token)} RETURNING token`);
  return rows.length > 0;
}

function isKey({ caller, idempotencyKey }: RegistryKey): Sql {
  return sql`${ownedSql(caller)} AND idempotency_key = ${idempotencyKey}`;
}

function isClaim(key: RegistryKey, token: bigint): Sql {
  return sql`${isKey(key)} AND token = ${token} AND state = 'claimed'`;
}
