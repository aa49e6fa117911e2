import type { Database } from "@shipping/kit/postgres/database";
import { rowsIn } from "@shipping/kit/testing/rows";
import sql, { raw, type Sql } from "sql-template-tag";

interface StoredAccount {
  id: string;
  name: string;
  suspendedAt: Date | null;
  erasingSince: Date | null;
}

/** The accounts that the portal knows, or the one with this ID. */
export function storedAccounts(db: Database, id?: string): Promise<StoredAccount[]> {
  return rowsIn<StoredAccount>(db, "accounts", id === undefined ? {} : { id });
}

/** Makes what the portal knows of an account an hour newer than all that the gateway will say. */
export async function knowForAnHour(db: Database, accountId: string): Promise<void> {
  await db.run(sql`UPDATE accounts SET read_at = now() + interval '1 hour' WHERE id = ${accountId}`);
}

/** Ends the suspension of an account in the portal alone. */
export async function forgetSuspension(db: Database, accountId: string): Promise<void> {
  await db.run(sql`UPDATE accounts SET suspended_at = NULL WHERE id = ${accountId}`);
}

/** A statement that lets nobody read the accounts until its transaction ends. */
export const lockAccounts: Sql = sql`LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE`;

interface StoredEntry {
  id: string;
  at: Date;
  actor: string;
  action: string;
  subject: string;
  detail: string;
  source: string;
}

/** The entries of the audit log that have these values, the oldest first. */
export async function auditEntries(
  db: Database,
  where: {
    accountId?: string | readonly string[];
    actor?: string | readonly string[];
    action?: string;
    subject?: string;
  } = {},
): Promise<(StoredEntry & { accountId: string })[]> {
  const rows = await rowsIn<StoredEntry & { accountId: string }>(db, "audit_entries", where);
  return rows.sort((one, other) => one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : 1));
}

/** Refuses new entries of the audit log until `openAuditLog`. */
export async function closeAuditLog(db: Database): Promise<void> {
  await db.run(sql`ALTER TABLE audit_entries ADD CONSTRAINT closed CHECK (false) NOT VALID`);
}

/** Takes new entries of the audit log again. */
export async function openAuditLog(db: Database): Promise<void> {
  await db.run(sql`ALTER TABLE audit_entries DROP CONSTRAINT IF EXISTS closed`);
}

const FED = ["accounts", "feeds", "audit_entries"];

/** The rows that the feeds of other parts have filled, as a backup has them. */
export async function backUpFeeds(db: Database): Promise<ReadonlyMap<string, string>> {
  const tables = await Promise.all(
    FED.map(async (table): Promise<[string, string]> => {
      const [row] = await db.run<{ rows: string }>(
        sql`SELECT coalesce(json_agg(t), '[]')::text AS rows FROM ${raw(table)} AS t`,
      );
      return [table, row!.rows];
    }),
  );
  return new Map(tables);
}

/** Restores such a backup. */
export async function restoreFeeds(db: Database, backup: ReadonlyMap<string, string>): Promise<void> {
  await db.run(sql`TRUNCATE accounts, feeds, audit_entries CASCADE`);
  for (const [table, rows] of backup)
    await db.run(sql`
      INSERT INTO ${raw(table)} SELECT * FROM json_populate_recordset(NULL::${raw(table)}, ${rows}::json)`);
}

/** Stores a row of an account with one member in every table that its own requests have not filled. */
export async function fillAccount(db: Database, accountId: string): Promise<void> {
  await db.run(sql`
    WITH member AS (SELECT id, email FROM account_members WHERE account_id = ${accountId}),
      session AS (
        INSERT INTO sessions (hash, member_id, created_at, authenticated_at, seen_at)
        SELECT sha256(${accountId}::bytea), id, now(), now(), now() FROM member),
      link AS (
        INSERT INTO sign_in_links (hash, member_id, expires_at)
        SELECT sha256(${accountId}::bytea), id, now() + interval '1 day' FROM member),
      view AS (
        INSERT INTO saved_views (id, member_id, list, name, query, created_at)
        SELECT 'view_' || id, id, 'shipments', 'Drafts', 'status=draft', now() FROM member),
      test AS (INSERT INTO webhook_tests (account_id, since, tests) VALUES (${accountId}, now(), 1)),
      named AS (
        INSERT INTO endpoint_names (account_id, subscription_id, name, named_at) VALUES (${accountId}, 'whk_a', 'Shop', now())),
      declined AS (
        INSERT INTO declined_invitations (account_id, address_hash, declined_at) VALUES (${accountId}, '\\x00', now()))
    INSERT INTO mails (kind, member_id, recipient, content, created_at, expires_at, next_at)
    SELECT 'alert', id, email, '{}', now(), now() + interval '7 days', now() + interval '1 day' FROM member`);
}

/** The emails that wait, each as text. */
export async function waitingMails(db: Database): Promise<string[]> {
  return (await db.run<{ line: string }>(sql`SELECT t::text AS line FROM mails AS t`)).map(({ line }) => line);
}
