import { createHash } from "node:crypto";
import { type Actor, OPERATOR } from "@shipping/kit/caller";
import { type Failure, fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { violated } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";
import { writeAuditEntry } from "../audit/audit.js";
import type { MemberDeps } from "../database/deps.js";
import { canonicalAddress } from "../mail/address.js";
import { addressHash } from "./count-mails.js";

export const ROLES = ["admin", "viewer"] as const;

/** The role of a member in the developer area: an admin changes things, a viewer only sees them. */
export type Role = (typeof ROLES)[number];

export interface Member {
  id: string;
  email: string;
  role: string;
  /** True if the member has signed in through the OpenID provider, which binds them to a person there. */
  bound: boolean;
  createdAt: Date;
  /** When the member was last invited; null if they have signed in since. */
  invitedAt: Date | null;
  /** Whether a mail server has accepted the invitation: `waiting`, `sent` or `failed`; null if it was not emailed. */
  invitationMail: string | null;
}

export type MemberRef = { accountId: string } & ({ id: string } | { email: string });

export interface CreatedLink {
  url: string;
  email: string;
  expiresAt: Date;
}

export const LINK_MINUTES = 15;

export function normalizeEmail(text: string): string {
  const email = canonicalAddress(text);
  if (email === undefined) throw fail("invalid_request", `Invalid email address: ${JSON.stringify(text)}`);
  return email;
}

/** How many members an account can have; a trigger on `account_members` enforces it. */
export const MEMBERS_LIMIT = 100;

/** Adds a member without an invitation, even one who has declined invitations. */
export async function addMember(
  deps: MemberDeps,
  wanted: { accountId: string; email: string; role: Role },
  actor: Actor = OPERATOR,
): Promise<Member> {
  const { accountId, role } = wanted;
  const email = normalizeEmail(wanted.email);
  const member = { id: newId("mem", deps.random), email, role, createdAt: deps.now() };
  const change = { accountId, action: "member.added", environment: null, subject: member.id } as const;
  const statement = sql`
    WITH added AS (
      INSERT INTO account_members (id, account_id, email, role, created_at)
      VALUES (${member.id}, ${accountId}, ${email}, ${role}, ${member.createdAt})
      RETURNING id),
    reconsidered AS (
      DELETE FROM declined_invitations
      WHERE account_id = ${accountId} AND address_hash = decode(${addressHash(email)}, 'hex'))
    ${writeAuditEntry(deps, actor, { ...change, detail: `${email} as ${role}`, from: sql`added` })}`;
  await deps.db.run(statement).catch(refuseMember(accountId, email));
  return { ...member, bound: false, invitedAt: null, invitationMail: null };
}

/** Throws the violation of a constraint on members as an error for people, and other errors unchanged. */
export function refuseMember(accountId: string, email: string): (error: unknown) => never {
  return (error) => {
    throw memberRefusal(error, accountId, email) ?? error;
  };
}

function memberRefusal(error: unknown, accountId: string, email: string): Failure | undefined {
  switch (violated(error)?.constraint) {
    case "account_members_account_id_fkey":
      return fail("not_found", `No such account: ${accountId}`);
    case "account_members_account_id_email_key":
      return fail("invalid_request", `${email} is a member of ${accountId} already.`);
    case "account_members_limit":
      return fail("invalid_request", `${accountId} already has ${MEMBERS_LIMIT} members, the maximum.`);
    case "account_members_last_admin":
      return fail(
        "invalid_request",
        `You can't remove the last admin, ${email}, or make them a viewer. Make another member an admin first. Pending invitations do not count.`,
      );
    default:
      return undefined;
  }
}

/** Lists the members of an account, oldest first: all, or `take` of them after the member `after`. */
export async function listMembers(
  deps: Pick<MemberDeps, "prisma">,
  accountId: string,
  { after, take = MEMBERS_LIMIT }: { after?: string | undefined; take?: number } = {},
): Promise<Member[]> {
  const members = await deps.prisma.accountMember.findMany({
    where: { accountId },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    take,
    ...(after && { cursor: { id: after }, skip: 1 }),
  });
  return members.map(toMember);
}

export async function getMember(deps: Pick<MemberDeps, "prisma">, ref: MemberRef): Promise<Member> {
  const { accountId, ...named } = ref;
  const where = "email" in named ? { accountId, email: normalizeEmail(named.email) } : { accountId, ...named };
  const member = await deps.prisma.accountMember.findFirst({ where });
  if (member) return toMember(member);
  const who = "email" in named ? named.email : named.id;
  throw fail(
    "not_found",
    `${accountId} has no member ${who}. To add one, run member add --account ${accountId} --email E.`,
  );
}

function toMember({ subject, ...member }: Omit<Member, "bound"> & { subject: string | null }): Member {
  const { id, email, role, createdAt, invitedAt, invitationMail } = member;
  return { id, email, role, bound: subject !== null, createdAt, invitedAt, invitationMail };
}

/** Changes the role of a member. The last admin stays an admin. */
export async function changeRole(
  deps: MemberDeps,
  wanted: MemberRef & { role: Role },
  actor: Actor = OPERATOR,
): Promise<void> {
  const { role, ...ref } = wanted;
  const { id, email, role: before } = await getMember(deps, ref);
  const { accountId } = wanted;
  const detail = `${email}: from ${before} to ${role}`;
  const change = { accountId, action: "member.role_changed", environment: null, subject: id, detail } as const;
  const statement = sql`
    WITH changed AS (UPDATE account_members SET role = ${role} WHERE id = ${id} AND role <> ${role} RETURNING id)
    ${writeAuditEntry(deps, actor, { ...change, from: sql`changed` })}`;
  await deps.db.run(statement).catch(refuseMember(accountId, email));
}

/** Removes a member with their links and sessions. The last admin stays. */
export async function removeMember(deps: MemberDeps, wanted: MemberRef, actor: Actor = OPERATOR) {
  const { id, email } = await getMember(deps, wanted);
  const { accountId } = wanted;
  const change = { accountId, action: "member.removed", environment: null, subject: id, detail: email } as const;
  const statement = sql`
    WITH removed AS (DELETE FROM account_members WHERE id = ${id} RETURNING id)
    ${writeAuditEntry(deps, actor, { ...change, from: sql`removed` })}`;
  await deps.db.run(statement).catch(refuseMember(accountId, email));
  return { id, email };
}

/** Creates a link for the operator that signs a member in once, within 15 minutes. Without an email, it is for the account's first admin. */
export async function createSignInLink(
  deps: MemberDeps,
  wanted: { accountId: string; email?: string | undefined; origin: string },
): Promise<CreatedLink> {
  const { accountId, email } = wanted;
  const member = email === undefined ? await firstAdmin(deps, accountId) : await getMember(deps, { accountId, email });
  const { url, hash } = newLink(deps, wanted.origin);
  const action = "member.sign_in_link_made_by_operator";
  const change = { accountId, action, environment: null, subject: member.id, detail: member.email } as const;
  const [made] = await deps.db.run<{ expiresAt: Date }>(sql`
    WITH made AS (
      INSERT INTO sign_in_links (hash, member_id, expires_at)
      VALUES (${hash}, ${member.id}, ${databaseNow(deps)} + ${LINK_MINUTES} * interval '1 minute')
      RETURNING expires_at),
    entries AS (${writeAuditEntry(deps, OPERATOR, { ...change, from: sql`made` })})
    SELECT expires_at AS "expiresAt" FROM made`);
  return { url, email: member.email, expiresAt: made!.expiresAt };
}

/** Builds a link with a new token. The token is in the fragment, which browsers send to no server, so neither logs nor referrers contain it. */
export function newLink(deps: Pick<MemberDeps, "random">, origin: string) {
  const { token, hash } = newToken(deps);
  return { url: `${origin}/developers/sign-in/link#${token}`, token, hash };
}

/** A token for a new link or session. A token that a browser sends is never used for a session (session fixation). */
export function newToken({ random }: Pick<MemberDeps, "random">): { token: string; hash: Buffer } {
  const token = Buffer.from(random(32)).toString("base64url");
  return { token, hash: hashToken(token) };
}

/** Hashes the token of a link or session. Only the hash is stored. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

async function firstAdmin({ prisma }: MemberDeps, accountId: string): Promise<{ id: string; email: string }> {
  const admin = await prisma.accountMember.findFirst({
    where: { accountId, role: "admin" },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
  if (admin) return admin;
  throw fail("not_found", `${accountId} has no admin. To add one, run member add --account ${accountId} --email E.`);
}
