import type { Database } from "@shipping/kit/postgres/database";
import { rowsIn } from "@shipping/kit/testing/rows";
import sql, { raw } from "sql-template-tag";

/** Moves the suspension of an account, or its absence, to this many minutes ago. An erasure waits for a minute after it. */
export async function suspendedSince(db: Database, accountId: string, minutes: number): Promise<void> {
  await db.run(
    sql`UPDATE accounts SET suspended_at = now() - ${minutes}::float8 * interval '1 minute' WHERE id = ${accountId}`,
  );
}

/** Ends the suspension of an account in the gateway alone, without a change for the audit log. */
export async function endSuspension(db: Database, accountId: string): Promise<void> {
  await db.run(sql`UPDATE accounts SET suspended_at = NULL WHERE id = ${accountId}`);
}

/** When an account was suspended; null if it is not. */
export async function suspensionOf(db: Database, id: string): Promise<Date | null | undefined> {
  const [account] = await rowsIn<{ suspendedAt: Date | null }>(db, "accounts", { id });
  return account?.suspendedAt;
}

interface StoredKey {
  id: string;
  environment: string;
  name: string;
  lastFour: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** The keys of an account, or the one with this ID. */
export function storedKeys(db: Database, where: { accountId: string } | { id: string }): Promise<StoredKey[]> {
  return rowsIn<StoredKey>(db, "api_keys", where);
}

/** Lets the keys of this name expire in so many days. */
export async function expireKeys(db: Database, name: string, days: number): Promise<void> {
  await db.run(sql`UPDATE api_keys SET expires_at = now() + ${days}::float8 * interval '1 day' WHERE name = ${name}`);
}

/** Runs with a database in which no operator's command can be logged. */
export async function withoutOperatorLog<Result>(db: Database, run: () => Promise<Result>): Promise<Result> {
  await db.run(sql`ALTER TABLE operator_acts RENAME TO operator_acts_away`);
  try {
    return await run();
  } finally {
    await db.run(sql`ALTER TABLE operator_acts_away RENAME TO operator_acts`);
  }
}

/** Returns the changes that are kept for the audit log: of one account, or of all. */
export function accountChanges(
  db: Database,
  where: { accountId?: string; action?: string } = {},
): Promise<({ id: string; action: string; checkAt: Date | null } & Record<string, unknown>)[]> {
  return rowsIn(db, "account_changes", where);
}

/** Runs with a database in which no change with this action can be kept for the audit log. */
export async function withoutChanges<Result>(
  db: Database,
  action: string,
  run: () => Promise<Result>,
): Promise<Result> {
  await db.run(sql`ALTER TABLE account_changes ADD CONSTRAINT closed CHECK (action <> '${raw(action)}') NOT VALID`);
  try {
    return await run();
  } finally {
    await db.run(sql`ALTER TABLE account_changes DROP CONSTRAINT closed`);
  }
}
