import { scopes as allScopes, newApiKey, type Scope } from "@shipping/api/api-key";
import type { Caller, Environment } from "@shipping/kit/caller";
import { type Failure, fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { violated } from "@shipping/kit/postgres/database";
import { ownedSql } from "@shipping/kit/postgres/read-owned";
import sql from "sql-template-tag";
import { type AdminDeps, clock, type GatewayDeps, selectColumns } from "../database/deps.js";
import { type Actor, OPERATOR, writeAuditEntry } from "./audit.js";
import { noSuchAccount, requireAccount, requireName } from "./manage-accounts.js";

/** A key to create. Default: all scopes, no expiry. */
export interface NewKey {
  accountId: string;
  environment: Environment;
  name?: string;
  scopes?: readonly Scope[];
  expiresInMs?: number;
  /** The ID of the submitted form. Submitting it twice creates one key. */
  formId?: string;
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
export type KeyRef = { id: string } & Partial<Pick<NewKey, "accountId" | "environment">>;

/** The columns of a listed key, for Prisma's client and for SQL: `selectColumns(LISTED_KEY, "api_keys")`. */
export const LISTED_KEY = {
  ...{ id: true, environment: true, name: true, lastFour: true, scopes: true },
  ...{ createdAt: true, expiresAt: true, revokedAt: true, lastUsedAt: true },
} as const satisfies Record<keyof ListedKey, true>;

/** How many keys of an account and environment can be active; a trigger on `api_keys` enforces it. */
export const ACTIVE_KEYS_LIMIT = 50;

/** Creates a key. One statement also writes its rate window and its audit entry, so a key never exists without them. */
export async function createKey(deps: AdminDeps, wanted: NewKey, actor: Actor = OPERATOR): Promise<CreatedKey> {
  const { accountId, environment, scopes = allScopes, expiresInMs, name, formId } = wanted;
  if (name !== undefined) requireName(name, "A key's name");
  const id = newId("key", deps.random);
  const { key, hash, lastFour } = newApiKey(environment, deps.random);
  const detail = `${describeKey({ name, lastFour })}: ${scopes.join(" ")}`;
  const change = { accountId, action: "key.created", environment, subject: id, detail, from: sql`made` } as const;
  // `admit` locks the rate window, so a key without one would be refused.
  const statement = sql`
    WITH made AS (
      INSERT INTO api_keys (id, account_id, environment, name, form_id, hash, last_four, scopes, created_at, expires_at)
      SELECT ${id}, ${accountId}, ${environment}, ${name ?? null}, ${formId ?? null}, ${hash}, ${lastFour}, ${[...scopes]},
        now, now + ${expiresInMs ?? null} * interval '1 millisecond'
      FROM (SELECT ${clock(deps)} AS now OFFSET 0) AS moment
      ON CONFLICT (account_id, form_id) DO NOTHING
      RETURNING id, expires_at),
    windows AS (INSERT INTO rate_windows (key_id) SELECT id FROM made),
    entries AS (${writeAuditEntry(deps, actor, change)})
    SELECT expires_at AS "expiresAt" FROM made`;
  const [made] = await deps.db.run<{ expiresAt: Date | null }>(statement).catch((error) => {
    throw keyRefusal(error, wanted) ?? error;
  });
  if (!made) throw fail("idempotency_conflict", "The key from this form has already been created.");
  return { id, key, accountId, environment, scopes, ...(made.expiresAt && { expiresAt: made.expiresAt }) };
}

function keyRefusal(error: unknown, { accountId, environment }: NewKey): Failure | undefined {
  const constraint = violated(error)?.constraint;
  if (constraint === "api_keys_account_id_fkey") return noSuchAccount(accountId);
  if (constraint !== "api_keys_active_limit") return undefined;
  const limit = `${ACTIVE_KEYS_LIMIT} active ${environment} keys`;
  return fail("invalid_request", `This account already has ${limit}, the maximum. Revoke one first.`);
}

function describeKey({ name, lastFour }: { name?: string | null | undefined; lastFour: string }): string {
  return `${name ?? "A key"}, ends in ${lastFour}`;
}

/** The keys of an account, the oldest first, revoked and expired ones included. */
export async function listKeys(deps: AdminDeps, { accountId }: { accountId: string }): Promise<ListedKey[]> {
  await requireAccount(deps, accountId);
  return deps.prisma.apiKey.findMany({
    where: { accountId },
    select: LISTED_KEY,
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
}

export async function getKey(deps: Pick<AdminDeps, "prisma">, ref: KeyRef): Promise<ListedKey & { accountId: string }> {
  const key = await deps.prisma.apiKey.findUnique({ where: { ...ref }, select: { ...LISTED_KEY, accountId: true } });
  if (!key) throw fail("not_found", `No such key: ${ref.id}`);
  return key;
}

/** Revokes a key, effective from its next request. Revoking it again changes nothing. */
export async function revokeKey(
  deps: AdminDeps,
  ref: KeyRef,
  actor: Actor = OPERATOR,
): Promise<{ id: string; revokedAt: Date }> {
  const key = await getKey(deps, ref);
  const { id, accountId } = key;
  const environment = key.environment as Environment;
  if (key.revokedAt) return { id, revokedAt: key.revokedAt };
  const change = { accountId, action: "key.revoked", environment, subject: id, detail: describeKey(key) } as const;
  const [revoked] = await deps.db.run<{ revokedAt: Date }>(sql`
    WITH revoked AS (
      UPDATE api_keys SET revoked_at = ${clock(deps)} WHERE id = ${id} AND revoked_at IS NULL
      RETURNING revoked_at AS "revokedAt"),
    entries AS (${writeAuditEntry(deps, actor, { ...change, from: sql`revoked` })})
    SELECT * FROM revoked`);
  // If two revocations are concurrent, only one takes effect.
  return revoked ? { id, ...revoked } : revokeKey(deps, ref, actor);
}

const MAX_FOUND = 20;
/** How many keys of an environment a search reads, newest first: revoked keys are never deleted. */
const MAX_SCANNED = 2_000;

/** Finds up to twenty keys by ID, last four characters, or the beginning of the name in any case; newest first. */
export async function findKeys({ db }: Pick<GatewayDeps, "db">, caller: Caller, text: string): Promise<ListedKey[]> {
  return db.runList<ListedKey>(sql`
    SELECT ${selectColumns(LISTED_KEY, "key")} FROM (
      SELECT * FROM api_keys WHERE ${ownedSql(caller)} ORDER BY created_at DESC, id DESC LIMIT ${MAX_SCANNED}::bigint
    ) AS key
    WHERE id = ${text} OR last_four = ${text} OR starts_with(lower(name), lower(${text}))
    ORDER BY created_at DESC, id DESC LIMIT ${MAX_FOUND}`);
}
