import { scopes as allScopes, newApiKey, type Scope } from "@shipping/api/api-key";
import { ACTIVE_KEYS_LIMIT } from "@shipping/api/limits";
import type { Environment } from "@shipping/kit/caller";
import { type Actor, OPERATOR } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { violated } from "@shipping/kit/postgres/database";
import sql, { type Sql } from "sql-template-tag";
import type { AdminDeps } from "../database/deps.js";
import { noSuchAccount, requireName } from "./manage-accounts.js";
import { recordChange } from "./record-change.js";

/** A key to create. Default: all scopes, no expiry. */
export interface NewKey {
  accountId: string;
  environment: Environment;
  name?: string;
  scopes?: readonly Scope[];
  expiresInMs?: number;
}

/** A key to store. The key itself is not known here. */
export interface KeyToStore {
  id: string;
  accountId: string;
  environment: Environment;
  name?: string | undefined;
  scopes: readonly Scope[];
  expiresInMs?: number | undefined;
  /** The ID of the submitted form. A form creates one key. */
  formId?: string;
  hash: Uint8Array;
  lastFour: string;
}

/** A new key. Only its hash is stored, so the full key cannot be shown again. */
export interface CreatedKey {
  id: string;
  key: string;
  accountId: string;
  environment: Environment;
  scopes: readonly Scope[];
  expiresAt?: Date;
}

export interface ListedKey {
  id: string;
  environment: string;
  name: string | null;
  lastFour: string;
  scopes: string[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Rounded to the minute. */
  lastUsedAt: Date | null;
}

/** A key by its ID, which must belong to the account and environment if they are given. */
type KeyRef = { id: string } & Partial<Pick<NewKey, "accountId" | "environment">>;

/** The columns of a listed key, for Prisma's client and for SQL: `selectColumns(LISTED_KEY, "api_keys")`. */
export const LISTED_KEY = {
  ...{ id: true, environment: true, name: true, lastFour: true, scopes: true },
  ...{ createdAt: true, expiresAt: true, revokedAt: true, lastUsedAt: true },
} as const satisfies Record<keyof ListedKey, true>;

/** Makes a key for an operator and stores it. */
export async function createKey(deps: AdminDeps, wanted: NewKey): Promise<CreatedKey> {
  const { accountId, environment, scopes = allScopes, expiresInMs, name } = wanted;
  if (name !== undefined) requireName(name, "A key's name");
  const id = newId("key", deps.random);
  const { key, ...stored } = newApiKey(environment, deps.random);
  const { expiresAt } = await storeOperatorsKey(deps, {
    ...{ id, accountId, environment, name, scopes, expiresInMs },
    ...stored,
  });
  return { id, key, accountId, environment, scopes, ...(expiresAt && { expiresAt }) };
}

/** Stores a key that an operator has made, or returns the one that this call has stored before, by its ID. */
export async function storeOperatorsKey(deps: AdminDeps, key: KeyToStore): Promise<{ expiresAt: Date | null }> {
  const { id, accountId, hash } = key;
  const account = sql`SELECT id FROM accounts WHERE id = ${accountId} AND erasing_since IS NULL`;
  const made = await storeKey(deps, key, OPERATOR, account);
  if (made) return made;
  const stored = await deps.prisma.apiKey.findUnique({ where: { id } });
  if (!stored) throw noSuchAccount(accountId);
  if (stored.accountId !== accountId || Buffer.compare(stored.hash, hash) !== 0)
    throw fail("idempotency_conflict", "This act has created another key.");
  return stored;
}

/**
 * Stores a key of the account that the statement `account` selects. One statement also writes its rate window and the line for the audit log, so a key never
 * exists without them. Undefined if no account is selected, or the form, or without one the ID, has a key already.
 */
export async function storeKey(
  deps: AdminDeps,
  key: KeyToStore,
  actor: Actor,
  account: Sql,
): Promise<{ expiresAt: Date | null } | undefined> {
  const { id, accountId, environment, name, scopes, expiresInMs, formId, hash, lastFour } = key;
  const detail = `${describeKey({ name, lastFour })}: ${scopes.join(" ")}`;
  const change = { accountId, action: "key.created", environment, subject: id, detail, from: sql`made` } as const;
  // `admit` locks the rate window, so a key without one would be refused.
  const statement = sql`
    WITH account AS MATERIALIZED (${account}),
    made AS (
      INSERT INTO api_keys (id, account_id, environment, name, form_id, hash, last_four, scopes, created_at, expires_at)
      SELECT ${id}, account.id, ${environment}, ${name ?? null}, ${formId ?? null}, ${hash}, ${lastFour}, ${[...scopes]},
        now, now + ${expiresInMs ?? null} * interval '1 millisecond'
      FROM account CROSS JOIN (SELECT ${databaseNow(deps)} AS now OFFSET 0) AS moment
      ON CONFLICT ${formId === undefined ? sql`(id)` : sql`(account_id, form_id)`} DO NOTHING
      RETURNING id, expires_at),
    windows AS (INSERT INTO rate_windows (key_id) SELECT id FROM made),
    ${recordChange(deps, actor, change)}
    SELECT expires_at AS "expiresAt" FROM made`;
  const [made] = await deps.db.run<{ expiresAt: Date | null }>(statement).catch((error) => {
    if (violated(error)?.constraint !== "api_keys_active_limit") throw error;
    const limit = `${ACTIVE_KEYS_LIMIT} active ${environment} keys`;
    throw fail("invalid_request", `This account already has ${limit}, the maximum. Revoke one first.`);
  });
  return made;
}

function describeKey({ name, lastFour }: { name?: string | null | undefined; lastFour: string }): string {
  return `${name ?? "A key"}, ends in ${lastFour}`;
}

export async function getKey(deps: Pick<AdminDeps, "prisma">, ref: KeyRef): Promise<ListedKey & { accountId: string }> {
  const key = await deps.prisma.apiKey.findUnique({ where: { ...ref }, select: { ...LISTED_KEY, accountId: true } });
  if (!key) throw fail("not_found", `No such key: ${ref.id}`);
  return key;
}

/** Revokes a key for an operator, effective from its next request. Revoking it again changes nothing. */
export async function revokeKey(deps: AdminDeps, ref: KeyRef): Promise<{ id: string; revokedAt: Date }> {
  const key = await getKey(deps, ref);
  const account = sql`SELECT id FROM accounts WHERE id = ${key.accountId}`;
  // If two revocations are concurrent, only one takes effect.
  return {
    id: key.id,
    revokedAt: (await storeRevocation(deps, key, OPERATOR, account)) ?? (await revokeKey(deps, ref)).revokedAt,
  };
}

/** Revokes a key of the account that the statement `account` selects. Undefined if none is selected, or another revocation came first. */
export async function storeRevocation(
  deps: AdminDeps,
  key: ListedKey & { accountId: string },
  actor: Actor,
  account: Sql,
): Promise<Date | undefined> {
  if (key.revokedAt) return key.revokedAt;
  const { id, accountId } = key;
  const environment = key.environment as Environment;
  const change = { accountId, action: "key.revoked", environment, subject: id, detail: describeKey(key) } as const;
  const [revoked] = await deps.db.run<{ revokedAt: Date }>(sql`
    WITH account AS MATERIALIZED (${account}),
    revoked AS (
      UPDATE api_keys SET revoked_at = ${databaseNow(deps)} FROM account
      WHERE api_keys.id = ${id} AND api_keys.account_id = account.id AND revoked_at IS NULL
      RETURNING revoked_at AS "revokedAt"),
    ${recordChange(deps, actor, { ...change, from: sql`revoked` })}
    SELECT * FROM revoked`);
  return revoked?.revokedAt;
}
