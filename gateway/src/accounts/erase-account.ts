import { fail } from "@shipping/kit/errors";
import sql, { raw } from "sql-template-tag";
import type { AdminDeps } from "./manage-accounts.js";

/**
 * How long after its suspension an account may still change something: its last request has been admitted, may be arriving for 30 s and is
 * answered 10 s later.
 */
export const SETTLED_AFTER_MS = 60_000;

/** An account that can be erased: nothing of it begins any more. */
export interface Suspended {
  id: string;
  name: string;
  suspendedAt: Date;
}

/** Reads an account that is to be erased; one that is not suspended is refused. */
export async function requireSuspended(deps: AdminDeps, id: string): Promise<Suspended> {
  const { name, suspendedAt } = await deps.prisma.account.findUniqueOrThrow({ where: { id } });
  if (suspendedAt) return { id, name, suspendedAt };
  throw fail("invalid_request", `${id} (${name}) is not suspended. Run account suspend first: nothing was deleted.`);
}

/**
 * From here on the account cannot be resumed, nothing protects its last admin, and nothing is logged of it: each log's statement looks at
 * `erasing_since`, and this waits for those that are running, which cannot see it yet. A statement ends after 5 s at most.
 */
export async function beginErasing(deps: AdminDeps, id: string): Promise<void> {
  await deps.db.run(sql`UPDATE accounts SET erasing_since = ${deps.now()} WHERE id = ${id} AND erasing_since IS NULL`);
  for (const log of ["request_log", "request_counts", "audit_entries"]) await waitForWriters(deps, log);
}

// One table at a time: a writer of two could wait for one lock while this waits for the other. A lock is released at the end of its block.
async function waitForWriters({ db }: AdminDeps, table: string): Promise<void> {
  await db.run(sql`DO $$ BEGIN LOCK TABLE ONLY ${raw(table)} IN SHARE MODE; END $$`);
}

/** Removes the account's name. Its ID and dates stay, so that the ID is never given to another account. */
export async function endErasing(deps: AdminDeps, id: string): Promise<Date> {
  const [account] = await deps.db.run<{ erasedAt: Date }>(sql`
    UPDATE accounts SET name = '', erased_at = coalesce(erased_at, ${deps.now()}) WHERE id = ${id} RETURNING erased_at AS "erasedAt"`);
  return account!.erasedAt;
}
