import { fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import sql from "sql-template-tag";
import { type AdminDeps, clock } from "../database/deps.js";
import { type Actor, writeAuditEntry } from "./audit.js";
import { countMail } from "./count-mails.js";
import { type CreatedLink, getMember, newLink, normalizeEmail, type Role, refuseMember } from "./manage-members.js";

export const INVITATION_DAYS = 7;
/** Per account: enough for a department, too few for spam. */
export const INVITATIONS_PER_HOUR = 50;

interface Invitation {
  accountId: string;
  /** The form that asks for it: sent several times, it creates one. */
  formId: string;
  origin: string;
}

/** A new invitation. Only the hash of its link is stored. */
export interface Invited extends CreatedLink {
  id: string;
  role: Role;
}

/** Adds a member and creates a sign-in link for them. One statement writes member, link and audit entry. */
export async function inviteMember(
  deps: AdminDeps,
  wanted: Invitation & { email: string; role: Role },
  actor: Actor,
): Promise<Invited> {
  const { accountId, role, formId, origin } = wanted;
  const email = normalizeEmail(wanted.email);
  await limitInvitations(deps, accountId);
  const id = newId("mem", deps.random);
  const { url, hash } = newLink(deps, origin);
  const now = clock(deps);
  const expiresAt = sql`${now} + ${INVITATION_DAYS} * interval '1 day'`;
  const detail = `${email} as ${role}`;
  const change = { accountId, action: "member.invited", environment: null, subject: id, detail } as const;
  const statement = sql`
    WITH added AS (
      INSERT INTO account_members (id, account_id, email, role, created_at, invited_at)
      VALUES (${id}, ${accountId}, ${email}, ${role}, ${now}, ${now})
      ON CONFLICT (account_id, email) DO NOTHING
      RETURNING id),
    links AS (
      INSERT INTO sign_in_links (hash, member_id, expires_at, form_id) SELECT ${hash}, id, ${expiresAt}, ${formId} FROM added
      RETURNING expires_at),
    entries AS (${writeAuditEntry(deps, actor, { ...change, from: sql`added` })})
    SELECT expires_at AS "expiresAt" FROM links`;
  const [added] = await deps.db.run<{ expiresAt: Date }>(statement).catch(refuseMember(accountId, email));
  if (added) return { id, email, role, url, ...added };
  const sent = await deps.db.run(sql`
    SELECT FROM sign_in_links JOIN account_members m ON m.id = member_id
    WHERE form_id = ${formId} AND account_id = ${accountId} AND email = ${email}`);
  if (sent.length > 0) throw alreadySent();
  throw fail("invalid_request", `${email} is already a member.`);
}

/** Creates a new link for a member who has not signed in yet. The previous link stops working. */
export async function inviteAgain(
  deps: AdminDeps,
  wanted: Invitation & { id: string },
  actor: Actor,
): Promise<Invited> {
  const { accountId, id, formId, origin } = wanted;
  const { email, role, invitedAt } = await getMember(deps, { accountId, id });
  if (!invitedAt) throw fail("invalid_request", `${email} has already signed in.`);
  await limitInvitations(deps, accountId);
  const { url, hash } = newLink(deps, origin);
  const now = clock(deps);
  const expiresAt = sql`${now} + ${INVITATION_DAYS} * interval '1 day'`;
  const detail = `${email} as ${role}`;
  const change = { accountId, action: "member.invited_again", environment: null, subject: id, detail } as const;
  const statement = sql`
    WITH made AS (
      INSERT INTO sign_in_links (hash, member_id, expires_at, form_id) VALUES (${hash}, ${id}, ${expiresAt}, ${formId})
      ON CONFLICT (member_id, form_id) DO NOTHING
      RETURNING member_id, expires_at),
    renewed AS (
      UPDATE account_members SET invited_at = ${now} FROM made WHERE id = made.member_id AND invited_at IS NOT NULL),
    ended AS (
      DELETE FROM sign_in_links l USING made
      WHERE l.member_id = made.member_id AND l.form_id IS NOT NULL AND l.form_id <> ${formId}),
    entries AS (${writeAuditEntry(deps, actor, { ...change, from: sql`made` })})
    SELECT expires_at AS "expiresAt" FROM made`;
  const [renewed] = await deps.db.run<{ expiresAt: Date }>(statement).catch(refuseMember(accountId, email));
  if (!renewed) throw alreadySent();
  return { id, email, role: role as Role, url, ...renewed };
}

async function limitInvitations(deps: AdminDeps, accountId: string): Promise<void> {
  const limit = { name: `invitations:${accountId}`, most: INVITATIONS_PER_HOUR, minutes: 60 };
  if (await countMail(deps, limit)) return;
  throw fail("rate_limited", `An account can send up to ${INVITATIONS_PER_HOUR} invitations an hour. Try again later.`);
}

const alreadySent = () => fail("idempotency_conflict", "This invitation has already been sent.");
