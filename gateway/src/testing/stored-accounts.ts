import { scopes } from "@shipping/api/api-key";
import type { Database } from "@shipping/kit/postgres/database";
import { rowsIn } from "@shipping/kit/testing/rows";
import sql, { raw } from "sql-template-tag";

/** Moves the suspension of an account, or its absence, to this many minutes ago. An erasure waits for a minute after it. */
export async function suspendedSince(db: Database, accountId: string, minutes: number): Promise<void> {
  await db.run(
    sql`UPDATE accounts SET suspended_at = now() - ${minutes}::float8 * interval '1 minute' WHERE id = ${accountId}`,
  );
}

/** Marks an account as suspended and being erased, without erasing it. */
export async function markErasing(db: Database, accountId: string): Promise<void> {
  await db.run(sql`UPDATE accounts SET suspended_at = now(), erasing_since = now() WHERE id = ${accountId}`);
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

/** Stores accounts, and keys for the sandbox with all scopes, thousands in one statement. */
export async function storeCustomers(
  db: Database,
  accountIds: readonly string[],
  keys: readonly { id: string; accountId: string; hash: Buffer; lastFour: string }[],
): Promise<void> {
  await db.run(sql`
    INSERT INTO accounts (id, name, created_at) SELECT id, 'Bench', now() FROM unnest(${accountIds}::text[]) AS made (id)`);
  await db.run(sql`
    WITH made AS (
      INSERT INTO api_keys (id, account_id, environment, hash, last_four, scopes, created_at)
      SELECT id, account_id, 'sandbox', hash, last_four, ${[...scopes]}::text[], now()
      FROM unnest(
        ${keys.map(({ id }) => id)}::text[], ${keys.map(({ accountId }) => accountId)}::text[],
        ${keys.map(({ hash }) => hash)}::bytea[], ${keys.map(({ lastFour }) => lastFour)}::text[]
      ) AS made (id, account_id, hash, last_four)
      RETURNING id)
    INSERT INTO rate_windows (key_id) SELECT id FROM made`);
}

/** Uses up the limit of these accounts' keys for the next minute. */
export async function exhaustKeys(db: Database, accountIds: readonly string[], limit: number): Promise<void> {
  await db.run(sql`
    UPDATE rate_windows SET counters[61] = ${limit}, last_second = floor(extract(epoch FROM clock_timestamp()))
    FROM api_keys WHERE api_keys.id = key_id AND account_id = ANY(${accountIds}::text[])`);
}

interface StoredKey {
  id: string;
  environment: string;
  name: string;
  lastFour: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** The form of the developer area by which it was created. */
  formId: string | null;
}

/** The keys of these accounts, or the one with this ID. */
export function storedKeys(
  db: Database,
  where: { accountId: string | readonly string[] } | { id: string },
): Promise<StoredKey[]> {
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
  where: { accountId?: string; action?: string; actor?: string } = {},
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
