import { isName, NAME_RULE } from "@shipping/api/input/name";
import { OPERATOR } from "@shipping/kit/caller";
import { type Failure, fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import sql, { raw, type Sql } from "sql-template-tag";
import { countResources } from "../database/account-data.js";
import type { AdminDeps } from "../database/deps.js";
import { recordChange } from "./record-change.js";

export async function createAccount(deps: AdminDeps, { name }: { name: string }) {
  requireName(name, "An account's name");
  const id = newId("acc", deps.random);
  const change = { accountId: id, action: "account.created", environment: null, subject: id, detail: name } as const;
  await deps.db.run(sql`
    WITH created AS (
      INSERT INTO accounts (id, name, created_at) VALUES (${id}, ${name}, ${deps.now()}) RETURNING id),
    ${recordChange(deps, OPERATOR, { ...change, from: sql`created` })}
    SELECT FROM created`);
  return { id, name };
}

export type Account = Awaited<ReturnType<typeof listAccounts>>[number];

export function listAccounts(deps: AdminDeps) {
  return deps.prisma.account.findMany({ orderBy: [{ createdAt: "asc" }, { id: "asc" }] });
}

export function requireName(name: string, what: string): void {
  if (!isName(name)) throw fail("invalid_request", `${what} must have ${NAME_RULE}.`);
}

export async function requireAccount({ prisma }: Pick<AdminDeps, "prisma">, id: string): Promise<void> {
  const account = await prisma.account.findUnique({ where: { id }, select: { id: true } });
  if (!account) throw noSuchAccount(id);
}

export function noSuchAccount(id: string): Failure {
  return fail("not_found", `No such account: ${id}`);
}

/**
 * Selects an account that may change: it is neither suspended nor being erased. Its row stays locked until the statement ends, so that a suspension
 * comes either before the change or after it.
 */
export function changeableAccount(id: string): Sql {
  return sql`SELECT id FROM accounts WHERE id = ${id} AND suspended_at IS NULL AND erasing_since IS NULL FOR NO KEY UPDATE`;
}

/** Throws the refusal of an account that may not change. */
export async function requireChangeable({ prisma }: Pick<AdminDeps, "prisma">, id: string): Promise<void> {
  const account = await prisma.account.findUnique({ where: { id }, select: { suspendedAt: true, erasingSince: true } });
  if (!account) throw noSuchAccount(id);
  if (account.erasingSince) throw fail("not_found", `${id} is being erased. Nothing was changed.`);
  if (account.suspendedAt)
    throw fail("not_found", `${id} is suspended. Nothing was changed. Ask the operator to resume it.`);
}

/**
 * Suspends or resumes an account. While it is suspended, its keys and its members' changes are refused. Writes no audit entry if the state does not
 * change.
 */
export async function setSuspended(deps: AdminDeps, accountId: string, suspended: boolean): Promise<void> {
  const at = suspended ? deps.now() : null;
  const action = suspended ? "account.suspended" : "account.resumed";
  const change = { accountId, action, environment: null, subject: accountId, detail: "" } as const;
  await deps.db.run(sql`
    WITH changed AS (
      UPDATE accounts SET suspended_at = ${at}::timestamptz
      WHERE id = ${accountId} AND (suspended_at IS NULL) = ${suspended} RETURNING id),
    ${recordChange(deps, OPERATOR, { ...change, from: sql`changed` })}
    SELECT FROM changed`);
}

/** How long a suspended account may still change something: its last request can take 30 s to arrive and 10 s to be answered. */
export const SETTLED_AFTER_MS = 60_000;

/** A suspended account. It starts no new work, so it can be erased. */
export type Suspended = Pick<Account, "id" | "name"> & { suspendedAt: Date };

/** Reads an account that is to be erased. Refuses one that is not suspended. */
export async function requireSuspended(deps: AdminDeps, id: string): Promise<Suspended> {
  const { name, suspendedAt } = await deps.prisma.account.findUniqueOrThrow({ where: { id } });
  if (suspendedAt) return { id, name, suspendedAt };
  throw fail("invalid_request", `${id} (${name}) is not suspended. Run account suspend first: nothing was deleted.`);
}

/** Begins to erase an account. From then on, it cannot be resumed, and no log gets entries about it. */
export async function beginErasing(deps: AdminDeps, id: string): Promise<void> {
  const change = { accountId: id, action: "account.erasing", environment: null, subject: id, detail: "" } as const;
  await deps.db.run(sql`
    WITH changed AS (
      UPDATE accounts SET erasing_since = ${deps.now()} WHERE id = ${id} AND erasing_since IS NULL RETURNING id),
    ${recordChange(deps, OPERATOR, { ...change, from: sql`changed` })}
    SELECT FROM changed`);
  // Waits for the statements that cannot see `erasing_since` yet, 5 s at most. One table at a time, each lock released when its block ends:
  // holding both could deadlock with a writer of two tables.
  for (const log of ["request_log", "request_counts", "account_changes"])
    await deps.db.run(sql`DO $$ BEGIN LOCK TABLE ONLY ${raw(log)} IN SHARE MODE; END $$`);
}

/** Removes the account's name. Its ID and dates stay, so that the ID is never given to another account. */
export async function endErasing(deps: AdminDeps, id: string): Promise<Date> {
  await deps.prisma.account.updateMany({ where: { id, erasedAt: null }, data: { name: "", erasedAt: deps.now() } });
  const { erasedAt } = await deps.prisma.account.findUniqueOrThrow({ where: { id } });
  return erasedAt!;
}

/** The number of objects of one kind that an account has; without an environment, in both together. */
export interface Counted {
  kind: string;
  environment?: string;
  count: number;
}

export async function readUsage(deps: AdminDeps, accountId: string): Promise<Counted[]> {
  return (await deps.db.run<CountedRow>(countResources(accountId))).map(toCounted);
}

type CountedRow = { kind: string; environment: string; count: bigint };

/** Converts a count of OwnerOperationsService, in which an empty environment stands for both together. */
export function toCounted({ kind, environment, count }: CountedRow): Counted {
  return { kind, ...(environment && { environment }), count: Number(count) };
}
