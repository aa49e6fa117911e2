import type { Environment } from "@shipping/kit/caller";
import { type Failure, fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { violated } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";
import { scopes as allScopes, newApiKey, type Scope } from "../admission/api-key.js";
import { clock } from "../database/deps.js";
import { type Actor, OPERATOR, tellAuditLog } from "./audit.js";
import { type AdminDeps, noSuchAccount, requireAccount, requireName } from "./manage-accounts.js";

/** A key to create. Without scopes it has all of them, without an expiry it has none. */
export interface NewKey {
  accountId: string;
  environment: Environment;
  name?: string;
  scopes?: readonly Scope[];
  expiresInMs?: number;
  /** Names the form that asks for it, if one does: the same form creates one key. */
  formId?: string;
}

/** A new key in full: it is never seen again. */
export interface CreatedKey {
  id: string;
  key: string;
  accountId: string;
  environment: Environment;
  scopes: readonly Scope[];
  expiresAt?: Date;
}

/** A key as it is listed. Absent: without a name, never expires, not revoked, never used. */
export interface ListedKey {
  id: string;
  environment: string;
  name: string | null;
  lastFour: string;
  scopes: string[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** To the minute. */
  lastUsedAt: Date | null;
}

/** Names a key; with account and environment only if it is theirs. */
export interface KeyRef {
  id: string;
  accountId?: string;
  environment?: Environment;
}

const NOT_LISTED = { hash: true, accountId: true, formId: true } as const;

/** The most keys of an account and environment that are active; a trigger on `api_keys` enforces the limit. */
export const ACTIVE_KEYS_LIMIT = 50;

/** Creates a key of an account. Key, window and audit entry are one statement: no key exists without its audit entry. */
export async function createKey(deps: AdminDeps, wanted: NewKey, actor: Actor = OPERATOR): Promise<CreatedKey> {
  const { accountId, environment, scopes = allScopes, expiresInMs, name, formId } = wanted;
  if (name !== undefined) requireName(name, "A key's name");
  const id = newId("key", deps.random);
  const { key, hash, lastFour } = newApiKey(environment, deps.random);
  const detail = `${keyInWords({ name, lastFour })}: ${scopes.join(" ")}`;
  const change = { accountId, action: "key.created", environment, subject: id, detail, from: sql`made` } as const;
  // `admit` locks the window: a key without one would open nothing.
  const statement = sql`
    WITH made AS (
      INSERT INTO api_keys (id, account_id, environment, name, form_id, hash, last_four, scopes, created_at, expires_at)
      VALUES (${id}, ${accountId}, ${environment}, ${name ?? null}, ${formId ?? null}, ${hash}, ${lastFour},
        ${[...scopes]}, ${clock(deps)}, ${clock(deps)} + ${expiresInMs ?? null} * interval '1 millisecond')
      ON CONFLICT (account_id, form_id) DO NOTHING
      RETURNING id, expires_at),
    windows AS (INSERT INTO rate_windows (key_id) SELECT id FROM made),
    entries AS (${tellAuditLog(deps, actor, change)})
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

/** A key as people tell it from others. */
function keyInWords({ name, lastFour }: { name?: string | null | undefined; lastFour: string }): string {
  return `${name ?? "A key"}, ends in ${lastFour}`;
}

/** The keys of an account, the oldest first, revoked and expired ones included. */
export async function listKeys(deps: AdminDeps, { accountId }: { accountId: string }): Promise<ListedKey[]> {
  await requireAccount(deps, accountId);
  return deps.prisma.apiKey.findMany({
    where: { accountId },
    omit: NOT_LISTED,
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
}

/** One key. */
export async function getKey(deps: Pick<AdminDeps, "prisma">, ref: KeyRef): Promise<ListedKey & { accountId: string }> {
  const key = await deps.prisma.apiKey.findUnique({ where: { ...ref }, omit: { ...NOT_LISTED, accountId: false } });
  if (!key) throw fail("not_found", `No such key: ${ref.id}`);
  return key;
}

/** Revokes a key, from its next request on. Revoking it again changes nothing. */
export async function revokeKey(
  deps: AdminDeps,
  ref: KeyRef,
  actor: Actor = OPERATOR,
): Promise<{ id: string; revokedAt: Date }> {
  const key = await getKey(deps, ref);
  const { id, accountId } = key;
  if (key.revokedAt) return { id, revokedAt: key.revokedAt };
  const change = {
    accountId,
    action: "key.revoked",
    environment: key.environment as Environment,
    subject: id,
    detail: keyInWords(key),
    from: sql`revoked`,
  } as const;
  const [revoked] = await deps.db.run<{ revokedAt: Date }>(sql`
    WITH revoked AS (
      UPDATE api_keys SET revoked_at = ${clock(deps)} WHERE id = ${id} AND revoked_at IS NULL
      RETURNING revoked_at AS "revokedAt"),
    entries AS (${tellAuditLog(deps, actor, change)})
    SELECT * FROM revoked`);
  // Of two concurrent revocations, one takes effect.
  return revoked ? { id, ...revoked } : revokeKey(deps, ref, actor);
}
