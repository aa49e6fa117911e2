import { databaseNow } from "@shipping/kit/postgres/clock";
import sql from "sql-template-tag";
import { writeAuditEntry } from "../audit/audit.js";
import type { MemberDeps } from "../database/deps.js";
import { addressHash } from "./count-mails.js";
import { hashToken } from "./manage-members.js";

/** An invitation that has not been accepted yet. */
export interface PendingInvitation {
  memberId: string;
  accountId: string;
  accountName: string;
  email: string;
}

/** Finds the invitation of a link. Links that the member has requested do not count. */
export async function findInvitation(deps: MemberDeps, token: string): Promise<PendingInvitation | undefined> {
  const [found] = await deps.db.run<PendingInvitation>(sql`
    SELECT m.id AS "memberId", m.account_id AS "accountId", a.name AS "accountName", m.email
    FROM sign_in_links l
    JOIN account_members m ON m.id = l.member_id
    JOIN accounts a ON a.id = m.account_id
    WHERE l.hash = ${hashToken(token)} AND l.invitation AND l.expires_at > ${databaseNow(deps)} AND m.invited_at IS NOT NULL`);
  return found;
}

/**
 * Removes the invited member with every link, and prevents the account from inviting the email address again. Returns false if the member has signed
 * in meanwhile.
 */
export async function declineInvitation(
  deps: MemberDeps,
  { memberId, accountId, email }: PendingInvitation,
  source: string,
): Promise<boolean> {
  const action = "member.invitation_declined";
  const change = { accountId, action, environment: null, subject: memberId, detail: email } as const;
  const declined = await deps.db.run(sql`
    WITH declined AS (DELETE FROM account_members WHERE id = ${memberId} AND invited_at IS NOT NULL RETURNING account_id),
    remembered AS (
      INSERT INTO declined_invitations (account_id, address_hash, declined_at)
      SELECT account_id, decode(${addressHash(email)}, 'hex'), ${databaseNow(deps)} FROM declined
      ON CONFLICT DO NOTHING),
    entries AS (${writeAuditEntry(deps, { name: email, source }, { ...change, from: sql`declined` })})
    SELECT FROM declined`);
  return declined.length > 0;
}
