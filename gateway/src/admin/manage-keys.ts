import type { Environment } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { scopes as allScopes, newApiKey, type Scope } from "../api-key.js";
import { type Actor, auditEntry, OPERATOR } from "../audit.js";
import { type AdminDeps, requireAccount, requireName } from "./manage-accounts.js";

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

const LISTED = { hash: true, accountId: true, formId: true } as const;

/** Creates a key of an account. */
export async function createKey(deps: AdminDeps, wanted: NewKey, actor: Actor = OPERATOR): Promise<CreatedKey> {
  const { accountId, environment, scopes = allScopes, expiresInMs, name, formId } = wanted;
  if (name !== undefined) requireName(name, "A key's name");
  await requireAccount(deps, accountId);
  const id = newId("key", deps.random);
  const { key, hash, lastFour } = newApiKey(environment, deps.random);
  const createdAt = deps.now();
  const expiry = expiresInMs === undefined ? {} : { expiresAt: new Date(createdAt.getTime() + expiresInMs) };
  const detail = `${name ?? "A key"}, ends in ${lastFour}: ${scopes.join(" ")}`;
  await deps.prisma.$transaction([
    deps.prisma.apiKey.create({
      data: {
        id,
        accountId,
        environment,
        name: name ?? null,
        formId: formId ?? null,
        hash: new Uint8Array(hash),
        lastFour,
        scopes: [...scopes],
        createdAt,
        ...expiry,
        // `admit` locks it: a key without a window would open nothing.
        window: { create: {} },
      },
    }),
    deps.prisma.auditEntry.create({
      data: auditEntry(deps, actor, { accountId, action: "key.created", environment, subject: id, detail }),
    }),
  ]);
  return { id, key, accountId, environment, scopes, ...expiry };
}

/** The keys of an account, the oldest first, revoked and expired ones included. */
export async function listKeys(deps: AdminDeps, { accountId }: { accountId: string }): Promise<ListedKey[]> {
  await requireAccount(deps, accountId);
  return deps.prisma.apiKey.findMany({
    where: { accountId },
    omit: LISTED,
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
}

/** One key. */
export async function getKey(deps: Pick<AdminDeps, "prisma">, ref: KeyRef): Promise<ListedKey> {
  const key = await deps.prisma.apiKey.findUnique({ where: { ...ref }, omit: LISTED });
  if (!key) throw fail("not_found", `No such key: ${ref.id}`);
  return key;
}

/** Revokes a key, from its next request on. Revoking it again changes nothing. */
export async function revokeKey(
  deps: AdminDeps,
  ref: KeyRef,
  actor: Actor = OPERATOR,
): Promise<{ id: string; revokedAt: Date }> {
  const { id } = ref;
  const { environment, name, lastFour, revokedAt } = await getKey(deps, ref);
  if (revokedAt) return { id, revokedAt };
  const { accountId } = await deps.prisma.apiKey.findUniqueOrThrow({ where: { id }, select: { accountId: true } });
  const entry = auditEntry(deps, actor, {
    accountId,
    action: "key.revoked",
    environment: environment as Environment,
    subject: id,
    detail: `${name ?? "A key"}, ends in ${lastFour}`,
  });
  // One statement: of two that revoke at once, one does and tells the audit log.
  await deps.prisma.$executeRaw`
    WITH revoked AS (
      UPDATE api_keys SET revoked_at = ${deps.now()} WHERE id = ${id} AND revoked_at IS NULL RETURNING id
    )
    INSERT INTO audit_entries (id, account_id, at, actor, action, environment, subject, detail, source)
    SELECT ${entry.id}, ${accountId}, ${entry.at}, ${entry.actor}, ${entry.action}, ${environment}, revoked.id,
      ${entry.detail}, ${entry.source}
    FROM revoked`;
  const revoked = await deps.prisma.apiKey.findUniqueOrThrow({ where: { id }, select: { revokedAt: true } });
  return { id, revokedAt: revoked.revokedAt as Date };
}
