import { isName, NAME_RULE } from "@shipping/api/input/name";
import { OPERATOR } from "@shipping/kit/caller";
import { type Failure, fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import sql, { raw, type Sql } from "sql-template-tag";
import type { AdminDeps } from "../database/deps.js";
import { recordChange } from "./record-change.js";

/** Creates an account, or returns the one that this call has created before, by its ID. */
export async function createAccount(deps: AdminDeps, given: { id?: string; name: string }) {
  const { id = newId("acc", deps.random), name } = given;
  requireName(name, "An account's name");
  const change = { accountId: id, action: "account.created", environment: null, subject: id, detail: name } as const;
  const [created] = await deps.db.run(sql`
    WITH created AS (
      INSERT INTO accounts (id, name, created_at) VALUES (${id}, ${name}, ${deps.now()})
      ON CONFLICT (id) DO NOTHING RETURNING id),
    ${recordChange(deps, OPERATOR, { ...change, from: sql`created` })}
    SELECT id FROM created`);
  if (!created && (await requireAccount(deps, id)).name !== name)
    throw fail("idempotency_conflict", "This act has created an account with another name.");
  return { id, name };
}

export type Account = NonNullable<Awaited<ReturnType<AdminDeps["prisma"]["account"]["findUnique"]>>>;

export function requireName(name: string, what: string): void {
  if (!isName(name)) throw fail("invalid_request", `${what} must have ${NAME_RULE}.`);
}

export async function requireAccount({ prisma }: Pick<AdminDeps, "prisma">, id: string): Promise<Account> {
  const account = await prisma.account.findUnique({ where: { id } });
  if (!account) throw noSuchAccount(id);
  return account;
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
      WHERE id = ${accountId} AND (suspended_at IS NULL) = ${suspended} AND erasing_since IS NULL RETURNING id),
    ${recordChange(deps, OPERATOR, { ...change, from: sql`changed` })}
    SELECT FROM changed`);
}

/** Begins to erase a suspended account. From then on, it cannot be resumed, and no log gets entries about it. */
export async function beginErasing(deps: AdminDeps, id: string): Promise<void> {
  const change = { accountId: id, action: "account.erasing", environment: null, subject: id, detail: "" } as const;
  await deps.db.run(sql`
    WITH changed AS (
      UPDATE accounts SET erasing_since = ${deps.now()}
      WHERE id = ${id} AND erasing_since IS NULL AND suspended_at IS NOT NULL RETURNING id),
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
