import { createHash } from "node:crypto";
import type { Database } from "@shipping/kit/postgres/database";
import { rowsIn } from "@shipping/kit/testing/rows";
import sql from "sql-template-tag";

interface StoredMember {
  id: string;
  email: string;
  role: string;
  /** The member's identity at the provider, after a sign-in through it. */
  subject: string | null;
}

/** The members of an account, the oldest first, or the one of them with this email address. */
export async function storedMembers(db: Database, accountId: string, email?: string): Promise<StoredMember[]> {
  const where = { accountId, ...(email !== undefined && { email }) };
  const rows = await rowsIn<StoredMember & { createdAt: Date }>(db, "account_members", where);
  return rows.sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1));
}

/** The member whom a sign-in link with this token signs in. */
export async function memberOfLink(db: Database, token: string): Promise<StoredMember | undefined> {
  const hash = createHash("sha256").update(token).digest();
  const [member] = await db.run<StoredMember>(sql`
    SELECT id, email, role, subject FROM account_members
    WHERE id = (SELECT member_id FROM sign_in_links WHERE hash = ${hash})`);
  return member;
}

/** Removes the members with this email address. */
export async function removeMember(db: Database, email: string): Promise<void> {
  await db.run(sql`DELETE FROM account_members WHERE email = ${email}`);
}

/** Makes the members with this email address viewers. */
export async function makeViewer(db: Database, email: string): Promise<void> {
  await db.run(sql`UPDATE account_members SET role = 'viewer' WHERE email = ${email}`);
}

/** Changes the email address of the members who have `email`, or of those of an account. */
export async function moveMembers(
  db: Database,
  of: { email: string } | { accountId: string },
  to: string,
): Promise<void> {
  const whose = "email" in of ? sql`email = ${of.email}` : sql`account_id = ${of.accountId}`;
  await db.run(sql`UPDATE account_members SET email = ${to} WHERE ${whose}`);
}

/** Moves the creation of an account's members this many days into the past. */
export async function backdateMembers(db: Database, accountId: string, days: number): Promise<void> {
  await db.run(sql`
    UPDATE account_members SET created_at = created_at - ${days}::float8 * interval '1 day' WHERE account_id = ${accountId}`);
}

/** Makes members of an account only invited, all of them or one, as if at that time; `mail` is what became of the email. */
export async function markInvited(
  db: Database,
  accountId: string,
  one?: { email: string; at: string; mail: "waiting" | "sent" | "failed" },
): Promise<void> {
  await db.run(sql`
    UPDATE account_members SET invited_at = coalesce(${one?.at ?? null}::timestamptz, created_at), invitation_mail = ${one?.mail ?? null}
    WHERE account_id = ${accountId} AND (${one?.email ?? null}::text IS NULL OR email = ${one?.email ?? null})`);
}

/** Ties the members of an account to another identity at the provider. */
export async function linkToAnother(db: Database, accountId: string, issuer: string): Promise<void> {
  await db.run(sql`
    UPDATE account_members SET issuer = ${issuer}, subject = 'another' WHERE account_id = ${accountId}`);
}
