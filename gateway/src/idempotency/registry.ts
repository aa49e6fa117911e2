import { hash } from "node:crypto";
import type { Client } from "@connectrpc/connect";
import type { Caller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import type { Random } from "@shipping/kit/ids";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { type Columns, unnestRows } from "@shipping/kit/postgres/columns";
import type { Database } from "@shipping/kit/postgres/database";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import { ownedSql, readOwned } from "@shipping/kit/postgres/owned/read-owned";
import type { Log } from "@shipping/kit/process/log";
import type { LedgerOwner } from "@shipping/proto/parts";
import type { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import sql, { type Sql } from "sql-template-tag";

/** The service whose ledger holds the result of a key. */
export type Owner = LedgerOwner;

export interface RegistryKey {
  caller: Caller;
  idempotencyKey: string;
}

/** A row of the registry: the request that used the key, the service that has its result, and whether it is done. */
export interface RegistryRow {
  fingerprint: Buffer;
  owner: Owner;
  state: "claimed" | "done";
  /** The fencing token. A later claim has a higher token than an earlier one. */
  token: bigint;
  /** How often the claim was sent to its owner. */
  attempts: number;
  /** Whether the lease was still valid when the row was read, by the database's clock. */
  leaseLive: boolean;
}

export interface RegistryRequest extends RegistryKey {
  fingerprint: Buffer;
  owner: Owner;
  /** Set if a member makes the request, whose claim then is a statement of its own. */
  member?: MemberClaim | undefined;
}

/** The account that a claim in the name of a member depends on, and the line that it writes. */
export interface MemberClaim {
  /** A SELECT that returns a row if the account may change. Otherwise, the key is not claimed. */
  account: Sql;
  /** An INSERT that selects from `claimed`. */
  recorded: Sql;
}

export interface RegistryDeps {
  db: Database;
  log: Log;
  random: Random;
  clockOffsetMs: number;
  clients: { ledgers: Record<Owner, Client<typeof LedgerService>> };
}

type Deps = Pick<RegistryDeps, "db" | "clockOffsetMs">;

/**
 * The duration of a lease: longer than a write takes, and shorter than an equal request waits. Correctness does not depend on it, because the owner's
 * ledger fences.
 */
const LEASE = sql`interval '4 seconds'`;

/**
 * Whether a claim's lease is valid. A lease that ends too far in the future was granted before the database's clock was set back, so it is invalid.
 */
export function isLive(now: Sql): Sql {
  return sql`(lease_until > ${now} AND lease_until < ${now} + interval '10 seconds')`;
}

export function peekKey(deps: Deps, { caller, idempotencyKey }: RegistryKey): Promise<RegistryRow | undefined> {
  return readRow(deps, { caller, id: idempotencyKey });
}

const readRow = readOwned<RegistryRow, Deps>(
  "idempotency_key",
  (askedCondition, deps) => sql`
    SELECT fingerprint, owner, state, token, attempts,
      state = 'claimed' AND ${isLive(databaseNow(deps))} AS "leaseLive"
    FROM idempotency_registry WHERE ${askedCondition}`,
);

/** Claims a key that has no row. Returns the token, or undefined if another request was faster. */
export function claimKey(deps: Deps, request: RegistryRequest): Promise<bigint | undefined> {
  if (!request.member) return shareClaim(deps, request);
  return runClaim(deps, request, (isAllowed) => insertClaims(deps, [request], isAllowed));
}

/** Waiting claims share a statement. */
const shareClaim = microBatchOperation<Deps, RegistryRequest, bigint | undefined>({ run: claimKeys });

/** Runs a statement that claims one key and returns its token. A claim of a member is refused if its account may not change. */
async function runClaim(
  { db }: Deps,
  { member }: Pick<RegistryRequest, "member">,
  toClaiming: (isAllowed: Sql) => Sql,
): Promise<bigint | undefined> {
  if (!member) return (await db.run<{ token: bigint }>(toClaiming(sql`true`)))[0]?.token;
  const { account, recorded } = member;
  const [row] = await db.run<{ token: bigint | null; isOpen: boolean }>(sql`
    WITH account AS (${account}),
    claimed AS (${toClaiming(sql`EXISTS (SELECT FROM account)`)}),
    recorded AS (${recorded})
    SELECT (SELECT token FROM claimed) AS token, EXISTS (SELECT FROM account) AS "isOpen"`);
  if (!row?.isOpen) throw fail("not_found", "This account does not exist, is suspended, or is being erased.");
  return row.token ?? undefined;
}

export const keyColumns = { accountId: "text", environment: "text", idempotencyKey: "text" } as const satisfies Columns;
const claimColumns = { ...keyColumns, fingerprint: "bytea", owner: "text" } as const satisfies Columns;

async function claimKeys(deps: Deps, requests: readonly RegistryRequest[]): Promise<(bigint | undefined)[]> {
  const claimed = await deps.db.run<Caller & { idempotencyKey: string; token: bigint }>(insertClaims(deps, requests));
  const tokens = new Map(
    claimed.map(({ idempotencyKey, token, ...caller }) => [keyText({ caller, idempotencyKey }), token]),
  );
  // If several requests have the same key, the first gets the token: `toSorted` is stable, so the first was inserted.
  return requests.map((request) => {
    const key = keyText(request);
    const token = tokens.get(key);
    tokens.delete(key);
    return token;
  });
}

function insertClaims(deps: Deps, requests: readonly RegistryRequest[], isAllowed = sql`true`): Sql {
  const rows = requests.toSorted(byKey).map(({ caller, idempotencyKey, fingerprint, owner }) => {
    const { accountId, environment } = caller;
    return { accountId, environment, idempotencyKey, fingerprint, owner };
  });
  return sql`
    INSERT INTO idempotency_registry
      (account_id, environment, idempotency_key, fingerprint, owner, state, token, attempts, lease_until)
    SELECT account_id, environment, idempotency_key, fingerprint, owner,
      'claimed', nextval('idempotency_token'), 1, ${databaseNow(deps)} + ${LEASE}
    FROM ${unnestRows(claimColumns, rows)} WHERE ${isAllowed}
    ON CONFLICT DO NOTHING
    RETURNING account_id AS "accountId", environment, idempotency_key AS "idempotencyKey", token`;
}

/**
 * Sorts in the order in which every statement locks rows, so that statements do not deadlock. Keys are ASCII, for which this order equals COLLATE
 * "C".
 */
export function byKey(a: RegistryKey, b: RegistryKey): number {
  return (
    compare(a.caller.accountId, b.caller.accountId) ||
    compare(a.caller.environment, b.caller.environment) ||
    compare(a.idempotencyKey, b.idempotencyKey)
  );
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

function keyText({ caller, idempotencyKey }: RegistryKey): string {
  return `${caller.accountId} ${caller.environment} ${idempotencyKey}`;
}

/** Lets an equal request continue a claim whose lease has ended, with the same token. */
export function rejoinClaim(deps: Deps, request: RegistryRequest, token: bigint): Promise<bigint | undefined> {
  return runClaim(
    deps,
    request,
    (isAllowed) => sql`
    UPDATE idempotency_registry SET attempts = attempts + 1, lease_until = ${databaseNow(deps)} + ${LEASE}
    WHERE ${isClaim(request, token)} AND NOT ${isLive(databaseNow(deps))} AND ${isAllowed}
    RETURNING token`,
  );
}

/** Replaces a row with a new claim, unless it has changed. Only for rows whose request can no longer be executed. */
export function takeOverKey(deps: Deps, request: RegistryRequest, row: Pick<RegistryRow, "token" | "state">) {
  return runClaim(
    deps,
    request,
    (isAllowed) => sql`
    UPDATE idempotency_registry
    SET fingerprint = ${request.fingerprint}, owner = ${request.owner}, state = 'claimed',
      token = nextval('idempotency_token'), attempts = 1, lease_until = ${databaseNow(deps)} + ${LEASE}
    WHERE ${isKey(request)} AND token = ${row.token} AND state = ${row.state} AND ${isAllowed}
    RETURNING token`,
  );
}

/** Ends a lease early, so that the next request does not have to wait for it. The column has milliseconds, which must not be rounded up. */
export async function endLease(deps: Deps, key: RegistryKey, token: bigint): Promise<void> {
  await deps.db.run(sql`
    UPDATE idempotency_registry SET lease_until = date_trunc('milliseconds', ${databaseNow(deps)}) WHERE ${isClaim(key, token)}`);
}

/** Deletes a claim that was sent to its owner only once, by this request. Returns whether it existed. */
export async function deleteSoleClaim(deps: Deps, key: RegistryKey, token: bigint): Promise<boolean> {
  const rows = await deps.db.run(sql`
    DELETE FROM idempotency_registry WHERE ${isClaim(key, token)} AND attempts = 1 RETURNING token`);
  return rows.length > 0;
}

/** Deletes a claim that its owner has fenced off. Returns whether it existed. */
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

/** Hashes a request. Equal requests have the same method, path and JSON content; the order of members does not matter. */
export function fingerprint(method: string, path: string, body: unknown): Buffer {
  const content = body === undefined ? "" : toCanonicalJson(body);
  return hash("sha256", `${method} ${path}\n${content}`, "buffer");
}

/**
 * Renders JSON text with the members of every object sorted. The value was parsed from JSON with a limited depth. Appends to one string, because
 * arrays of the parts of a large body would cost the most in garbage collection.
 */
function toCanonicalJson(value: unknown): string {
  // `1e400` is parsed as Infinity, which JSON.stringify would write as null.
  if (typeof value !== "object" || value === null)
    return typeof value === "number" ? `${value}` : JSON.stringify(value);
  let text = "";
  if (Array.isArray(value)) {
    for (const element of value) text += `${text && ","}${toCanonicalJson(element)}`;
    return `[${text}]`;
  }
  // Object.keys returns only own members, including one named `__proto__`.
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(value).sort())
    text += `${text && ","}${JSON.stringify(name)}:${toCanonicalJson(members[name])}`;
  return `{${text}}`;
}
