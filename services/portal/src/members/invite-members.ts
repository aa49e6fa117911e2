import type { Actor } from "@shipping/kit/caller";
import { type Failure, fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { databaseNow } from "@shipping/kit/postgres/clock";
import sql, { type Sql } from "sql-template-tag";
import { writeAuditEntry } from "../audit/audit.js";
import type { MemberDeps } from "../database/deps.js";
import { writeMail } from "../mail/mails.js";
import { addMail, addressHash, countMail, DAY_MINUTES } from "./count-mails.js";
import { getMember, newLink, normalizeEmail, type Role, refuseMember } from "./manage-members.js";

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
  /** True to send it by email. Otherwise, the caller gets the link. */
  isMailed?: boolean;
}

/** The invitation of a member. Of its link, only the hash is stored. */
export interface Invited {
  id: string;
  email: string;
  role: Role;
  expiresAt: Date;
  /** Absent if the invitation is emailed: then the attempt that sends it makes the link. */
  url?: string;
}

/** Adds a member and invites them. One statement writes member, link or email, count and audit entry. */
export async function inviteMember(
  deps: MemberDeps,
  wanted: Invitation & { email: string; role: Role },
  actor: Actor,
): Promise<Invited> {
  const { accountId, role, formId, isMailed } = wanted;
  const email = normalizeEmail(wanted.email);
  await refuseDeclined(deps, accountId, email);
  await refuseKnown(deps, { accountId, email, formId });
  await limitInvitations(deps, accountId);
  const id = newId("mem", deps.random);
  const now = databaseNow(deps);
  const { url, announcing } = announce(deps, wanted, { email, inviter: actor.name, from: sql`added` });
  const change = { accountId, action: "member.invited", environment: null, subject: id } as const;
  const statement = sql`
    WITH counted AS (${countRecipient(deps, accountId, email)}),
    added AS (
      INSERT INTO account_members (id, account_id, email, role, created_at, invited_at, invitation_form, invitation_mail)
      SELECT ${id}, ${accountId}, ${email}, ${role}, ${now}, ${now}, ${formId}, ${isMailed ? "waiting" : null} FROM counted
      ON CONFLICT (account_id, email) DO NOTHING
      RETURNING id, invited_at),
    announced AS (${announcing}),
    entries AS (${writeAuditEntry(deps, actor, { ...change, detail: `${email} as ${role}`, from: sql`added` })})
    SELECT ${expiry} AS "expiresAt" FROM added`;
  const [added] = await deps.db.run<Pick<Invited, "expiresAt">>(statement).catch(refuseMember(accountId, email));
  if (added) return { id, email, role, ...added, ...url };
  await refuseKnown(deps, { accountId, email, formId });
  throw tooMany(email);
}

/** Invites a member again who has not signed in yet. The previous link stops working. */
export async function inviteAgain(
  deps: MemberDeps,
  wanted: Invitation & { id: string },
  actor: Actor,
): Promise<Invited> {
  const { accountId, id, formId, isMailed } = wanted;
  const { email, role } = await getInvited(deps, { accountId, id, formId });
  await limitInvitations(deps, accountId);
  const now = databaseNow(deps);
  const { url, announcing } = announce(deps, wanted, { email, inviter: actor.name, from: sql`renewed` });
  const change = { accountId, action: "member.invited_again", environment: null, subject: id } as const;
  const statement = sql`
    WITH counted AS (${countRecipient(deps, accountId, email)}),
    renewed AS (
      UPDATE account_members SET invited_at = ${now}, invitation_form = ${formId}, invitation_mail = ${isMailed ? "waiting" : null}
      FROM counted WHERE id = ${id} AND invited_at IS NOT NULL AND invitation_form IS DISTINCT FROM ${formId}
      RETURNING id, invited_at),
    ended AS (DELETE FROM sign_in_links l USING renewed WHERE l.member_id = renewed.id AND l.invitation),
    withdrawn AS (DELETE FROM mails USING renewed WHERE member_id = renewed.id AND kind = 'invitation'),
    announced AS (${announcing}),
    entries AS (${writeAuditEntry(deps, actor, { ...change, detail: `${email} as ${role}`, from: sql`renewed` })})
    SELECT ${expiry} AS "expiresAt" FROM renewed`;
  const [renewed] = await deps.db.run<Pick<Invited, "expiresAt">>(statement);
  if (renewed) return { id, email, role, ...renewed, ...url };
  await getInvited(deps, { accountId, id, formId });
  throw tooMany(email);
}

const expiry = sql`invited_at + ${INVITATION_DAYS}::integer * interval '1 day'`;

/** The part of a statement that writes the email with an invitation, or its link, for the member in `from`. */
function announce(
  deps: MemberDeps,
  { isMailed, origin }: Invitation,
  { email, inviter, from }: { email: string; inviter: string; from: Sql },
) {
  const mail = {
    kind: "invitation",
    memberId: sql`id`,
    recipient: email,
    minutes: INVITATION_DAYS * DAY_MINUTES,
  } as const;
  if (isMailed) return { announcing: writeMail(deps, { ...mail, content: { inviter }, from }) };
  const { url, hash } = newLink(deps, origin);
  return { url: { url }, announcing: writeInvitationLink(hash, from) };
}

/** The part of a statement that stores the link of an invitation, for the member in `from`. */
export function writeInvitationLink(hash: Uint8Array, from: Sql): Sql {
  return sql`
    INSERT INTO sign_in_links (hash, member_id, expires_at, invitation) SELECT ${hash}, id, ${expiry}, true FROM ${from}`;
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

async function refuseKnown(
  deps: MemberDeps,
  { accountId, email, formId }: Pick<Invitation, "accountId" | "formId"> & { email: string },
): Promise<void> {
  const [known] = await deps.db.run<{ sent: boolean }>(sql`
    SELECT invitation_form IS NOT DISTINCT FROM ${formId} AS sent FROM account_members WHERE account_id = ${accountId} AND email = ${email}`);
  if (known) throw known.sent ? alreadySent() : fail("invalid_request", `${email} is already a member.`);
}

/** Returns a member who has not signed in yet. Refuses a form that has invited them already. */
async function getInvited(
  deps: MemberDeps,
  { accountId, id, formId }: Pick<Invitation, "accountId" | "formId"> & { id: string },
) {
  const { email, role, invitedAt } = await getMember(deps, { accountId, id });
  if (!invitedAt) throw fail("invalid_request", `${email} has already signed in.`);
  const sent = await deps.db.run(sql`SELECT FROM account_members WHERE id = ${id} AND invitation_form = ${formId}`);
  if (sent.length > 0) throw alreadySent();
  return { email, role: role as Role };
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
