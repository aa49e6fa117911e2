import sql from "sql-template-tag";
import { writeAuditEntry } from "../audit/audit.js";
import { newToken } from "../members/manage-members.js";
import { type SignedIn, type SignInOrigin, type WriteDeps, withDevice, writeSignIn } from "./session.js";

/** Another account of a person who is signed in. */
export interface OtherAccount {
  accountId: string;
  name: string;
  role: string;
  /** Whether the session has proved enough for this account. If not, the account needs a sign-in of its own. */
  isProven: boolean;
}

const isSameIdentity = sql`(m.issuer = me.issuer AND m.subject = me.subject)`;

/**
 * Whether session `s` of member `me` has proved that its person is also the member `m`. An email address is proved only by a link that was
 * emailed: the person who invites a member may have seen an invitation's link.
 */
const isProven = sql`m.invited_at IS NULL AND m.id <> me.id
  AND CASE s.proof WHEN 'mailbox' THEN m.email = me.email WHEN 'provider' THEN ${isSameIdentity} END IS TRUE`;

/** The accounts that a session can be switched to, and, with `alsoLinked`, those that its member can sign in to through the provider. */
export function findOtherAccounts(
  { db }: Pick<WriteDeps, "db">,
  { hash }: Pick<SignedIn, "hash">,
  { alsoLinked }: { alsoLinked: boolean },
): Promise<OtherAccount[]> {
  return db.run<OtherAccount>(sql`
    SELECT a.id AS "accountId", a.name, m.role, ${isProven} AS "isProven"
    FROM sessions s
    JOIN account_members me ON me.id = s.member_id
    JOIN account_members m ON m.email = me.email OR ${isSameIdentity}
    JOIN accounts a ON a.id = m.account_id
    WHERE s.hash = ${hash} AND m.invited_at IS NULL AND m.id <> me.id
      AND (${isProven} OR (${alsoLinked} AND ${isSameIdentity}))
    ORDER BY a.name, a.id LIMIT 100`);
}

/**
 * Moves a session to another account of its person, and returns its new token; undefined if it has not proved enough. The session keeps the times
 * of its sign-in and of its end, and its count of forms, so switching does not renew them. Both accounts have it in their audit logs, neither with
 * the name of the other.
 */
export async function switchAccount(
  deps: WriteDeps,
  { hash }: Pick<SignedIn, "hash">,
  accountId: string,
  from: SignInOrigin,
): Promise<string | undefined> {
  const { token, hash: newHash } = newToken(deps);
  const member = { accountId: sql`left_account_id`, subject: sql`left_member_id`, environment: null };
  const detail = withDevice("to another account", from.userAgent);
  const entry = { ...member, action: "member.switched_account", detail, from: sql`signed_in` } as const;
  const switched = await deps.db.run(sql`
    WITH signed_in AS (
      UPDATE sessions s SET hash = ${newHash}, member_id = m.id
      FROM account_members me, account_members m
      WHERE s.hash = ${hash} AND me.id = s.member_id AND m.account_id = ${accountId} AND ${isProven}
      RETURNING m.id AS member_id, m.account_id, m.email,
        me.id AS left_member_id, me.account_id AS left_account_id, me.email AS left_email),
    left_entries AS (${writeAuditEntry(deps, { name: sql`left_email`, source: from.source }, entry)}),
    ${writeSignIn(deps, "by switching accounts", from)}
    SELECT FROM signed_in`);
  return switched.length > 0 ? token : undefined;
}
