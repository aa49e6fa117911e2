import type { Actor } from "@shipping/kit/caller";
import { type Failure, fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { databaseNow } from "@shipping/kit/postgres/clock";
import sql from "sql-template-tag";
import { writeAuditEntry } from "../audit/audit.js";
import type { MemberDeps } from "../database/deps.js";
import { addMail, addressHash, countMail, DAY_MINUTES } from "./count-mails.js";
import { type CreatedLink, getMember, newLink, normalizeEmail, type Role, refuseMember } from "./manage-members.js";

export const INVITATION_DAYS = 7;
/** The limit per account: enough for a department, too few for spam. */
export const INVITATIONS_PER_HOUR = 50;
/** The limit per account, recipient and day: enough to replace a lost invitation, too few to be a nuisance. */
export const INVITATIONS_PER_RECIPIENT = 3;

interface Invitation {
  accountId: string;
  /** The ID of the submitted form. Submitting it several times creates one invitation. */
  formId: string;
  origin: string;
  /** Whether the caller sends it by email. */
  isMailed?: boolean;
}

/** A new invitation. Only the hash of its link is stored. */
export interface Invited extends CreatedLink {
  id: string;
  role: Role;
  token: string;
  invitedAt: Date;
}

/** Adds a member and creates a sign-in link for them. One statement writes member, link, count and audit entry. */
export async function inviteMember(
  deps: MemberDeps,
  wanted: Invitation & { email: string; role: Role },
  actor: Actor,
): Promise<Invited> {
  const { accountId, role, formId, origin, isMailed } = wanted;
  const email = normalizeEmail(wanted.email);
  await refuseDeclined(deps, accountId, email);
  await refuseKnown(deps, { accountId, email, formId });
  await limitInvitations(deps, accountId);
  const id = newId("mem", deps.random);
  const { url, hash, token } = newLink(deps, origin);
  const now = databaseNow(deps);
  const expiresAt = sql`${now} + ${INVITATION_DAYS} * interval '1 day'`;
  const detail = `${email} as ${role}`;
  const change = { accountId, action: "member.invited", environment: null, subject: id, detail } as const;
  const statement = sql`
    WITH counted AS (${countRecipient(deps, accountId, email)}),
    added AS (
      INSERT INTO account_members (id, account_id, email, role, created_at, invited_at, invitation_mail)
      SELECT ${id}, ${accountId}, ${email}, ${role}, ${now}, ${now}, ${isMailed ? "waiting" : null} FROM counted
      ON CONFLICT (account_id, email) DO NOTHING
      RETURNING id, invited_at),
    links AS (
      INSERT INTO sign_in_links (hash, member_id, expires_at, form_id) SELECT ${hash}, id, ${expiresAt}, ${formId} FROM added
      RETURNING expires_at),
    entries AS (${writeAuditEntry(deps, actor, { ...change, from: sql`added` })})
    SELECT expires_at AS "expiresAt", invited_at AS "invitedAt" FROM links, added`;
  const [added] = await deps.db
    .run<Pick<Invited, "expiresAt" | "invitedAt">>(statement)
    .catch(refuseMember(accountId, email));
  if (added) return { id, email, role, url, token, ...added };
  await refuseKnown(deps, { accountId, email, formId });
  throw tooMany(email);
}

/** Creates a new link for a member who has not signed in yet. The previous link stops working. */
export async function inviteAgain(
  deps: MemberDeps,
  wanted: Invitation & { id: string },
  actor: Actor,
): Promise<Invited> {
  const { accountId, id, formId, origin, isMailed } = wanted;
  const { email, role, invitedAt } = await getMember(deps, { accountId, id });
  if (!invitedAt) throw fail("invalid_request", `${email} has already signed in.`);
  if (await wasSent(deps, { accountId, email, formId })) throw alreadySent();
  await limitInvitations(deps, accountId);
  const { url, hash, token } = newLink(deps, origin);
  const now = databaseNow(deps);
  const expiresAt = sql`${now} + ${INVITATION_DAYS} * interval '1 day'`;
  const detail = `${email} as ${role}`;
  const change = { accountId, action: "member.invited_again", environment: null, subject: id, detail } as const;
  const statement = sql`
    WITH counted AS (${countRecipient(deps, accountId, email)}),
    made AS (
      INSERT INTO sign_in_links (hash, member_id, expires_at, form_id)
      SELECT ${hash}, ${id}, ${expiresAt}, ${formId} FROM counted
      ON CONFLICT (member_id, form_id) DO NOTHING
      RETURNING member_id, expires_at, date_trunc('milliseconds', ${now}) AS now),
    renewed AS (
      UPDATE account_members SET invited_at = made.now, invitation_mail = ${isMailed ? "waiting" : null}
      FROM made WHERE id = made.member_id AND invited_at IS NOT NULL),
    ended AS (
      DELETE FROM sign_in_links l USING made
      WHERE l.member_id = made.member_id AND l.form_id IS NOT NULL AND l.form_id <> ${formId}),
    entries AS (${writeAuditEntry(deps, actor, { ...change, from: sql`made` })})
    SELECT expires_at AS "expiresAt", now AS "invitedAt" FROM made`;
  const [renewed] = await deps.db
    .run<Pick<Invited, "expiresAt" | "invitedAt">>(statement)
    .catch(refuseMember(accountId, email));
  if (renewed) return { id, email, role: role as Role, url, token, ...renewed };
  throw (await wasSent(deps, { accountId, email, formId })) ? alreadySent() : tooMany(email);
}

/** Notes whether the email with an invitation was sent. A later invitation of the same member has its own note. */
export async function noteInvitationMail(deps: MemberDeps, { id, invitedAt }: Invited, isSent: boolean): Promise<void> {
  await deps.db.run(sql`
    UPDATE account_members SET invitation_mail = ${isSent ? "sent" : "failed"} WHERE id = ${id} AND invited_at = ${invitedAt}`);
}

async function limitInvitations(deps: MemberDeps, accountId: string): Promise<void> {
  const limit = { name: `invitations:${accountId}`, most: INVITATIONS_PER_HOUR, minutes: 60 };
  if (await countMail(deps, limit)) return;
  throw fail("rate_limited", `An account can send up to ${INVITATIONS_PER_HOUR} invitations an hour. Try again later.`);
}

// Part of the statement that invites. If the same form is submitted several times at once, the row lock makes each wait until the first is stored.
const countRecipient = (deps: MemberDeps, accountId: string, email: string) =>
  addMail(deps, {
    name: `invitation:${accountId}:${addressHash(email)}`,
    most: INVITATIONS_PER_RECIPIENT,
    minutes: DAY_MINUTES,
  });

const tooMany = (email: string): Failure =>
  fail(
    "rate_limited",
    `${email} has been sent ${INVITATIONS_PER_RECIPIENT} invitations to this account today, the maximum. You can send another one from 00:00 UTC on.`,
  );

interface Sent {
  accountId: string;
  email: string;
  formId: string;
}

async function refuseKnown(deps: MemberDeps, { accountId, email, formId }: Sent): Promise<void> {
  // This is one statement, so whoever sees the member also sees the link that was stored with it.
  const [known] = await deps.db.run<{ sent: boolean }>(sql`
    SELECT EXISTS (SELECT FROM sign_in_links WHERE member_id = m.id AND form_id = ${formId}) AS sent
    FROM account_members m WHERE account_id = ${accountId} AND email = ${email}`);
  if (known) throw known.sent ? alreadySent() : fail("invalid_request", `${email} is already a member.`);
}

async function wasSent(deps: MemberDeps, { accountId, email, formId }: Sent): Promise<boolean> {
  const sent = await deps.db.run(sql`
    SELECT FROM sign_in_links JOIN account_members m ON m.id = member_id
    WHERE form_id = ${formId} AND account_id = ${accountId} AND email = ${email}`);
  return sent.length > 0;
}

const alreadySent = () => fail("idempotency_conflict", "This invitation has already been sent.");

async function refuseDeclined(deps: MemberDeps, accountId: string, email: string): Promise<void> {
  const declined = await deps.db.run(sql`
    SELECT FROM declined_invitations
    WHERE account_id = ${accountId} AND address_hash = decode(${addressHash(email)}, 'hex')`);
  if (declined.length === 0) return;
  throw fail(
    "invalid_request",
    `${email} has declined an invitation to this account and gets no more. To join later, they ask the operator of the platform.`,
  );
}
