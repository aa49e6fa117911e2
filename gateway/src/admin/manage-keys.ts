import type { Environment } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { scopes as allScopes, newApiKey, type Scope } from "../api-key.js";
import type { AdminDeps } from "./manage-accounts.js";

/** A key to create. Without scopes it has all of them, without an expiry it has none. */
export interface NewKey {
  accountId: string;
  environment: Environment;
  scopes?: readonly Scope[];
  expiresInMs?: number;
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

/** A key as it is listed. Absent: never expires, not revoked, never used. */
export interface ListedKey {
  id: string;
  environment: string;
  lastFour: string;
  scopes: string[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** To the minute. */
  lastUsedAt: Date | null;
}

/** Creates a key of an account. */
export async function createKey(deps: AdminDeps, wanted: NewKey): Promise<CreatedKey> {
  const { accountId, environment, scopes = allScopes, expiresInMs } = wanted;
  await requireAccount(deps, accountId);
  const id = newId("key", deps.random);
  const { key, hash, lastFour } = newApiKey(environment, deps.random);
  const createdAt = deps.now();
  const expiry = expiresInMs === undefined ? {} : { expiresAt: new Date(createdAt.getTime() + expiresInMs) };
  await deps.prisma.apiKey.create({
    data: {
      id,
      accountId,
      environment,
      hash: new Uint8Array(hash),
      lastFour,
      scopes: [...scopes],
      createdAt,
      ...expiry,
      // `admit` locks it: a key without a window would open nothing.
      window: { create: {} },
    },
  });
  return { id, key, accountId, environment, scopes, ...expiry };
}

/** The keys of an account, the oldest first, revoked and expired ones included. */
export async function listKeys(deps: AdminDeps, { accountId }: { accountId: string }): Promise<ListedKey[]> {
  await requireAccount(deps, accountId);
  return deps.prisma.apiKey.findMany({
    where: { accountId },
    omit: { hash: true, accountId: true },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
}

/** Revokes a key, from its next request on. Revoking it again changes nothing. */
export async function revokeKey(deps: AdminDeps, { id }: { id: string }): Promise<{ id: string; revokedAt: Date }> {
  await deps.prisma.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: deps.now() } });
  const key = await deps.prisma.apiKey.findUnique({ where: { id }, select: { revokedAt: true } });
  if (!key?.revokedAt) throw fail("not_found", `No such key: ${id}`);
  return { id, revokedAt: key.revokedAt };
}

async function requireAccount({ prisma }: AdminDeps, id: string): Promise<void> {
  const account = await prisma.account.findUnique({ where: { id }, select: { id: true } });
  if (!account) throw fail("not_found", `No such account: ${id}`);
}
