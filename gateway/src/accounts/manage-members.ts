import { createHash } from "node:crypto";
import { type Failure, fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { violated } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";
import { type Actor, OPERATOR, tellAuditLog } from "./audit.js";
import { type AdminDeps, noSuchAccount, requireAccount } from "./manage-accounts.js";

export const ROLES = ["admin", "viewer"] as const;

/** What a member may do in the developer area: change things, or only see them. */
export type Role = (typeof ROLES)[number];

/** A person who works for an account. */
export interface Member {
  id: string;
  email: string;
  role: string;
  /** Whether a sign-in through the provider has tied the e-mail to a person there. */
  bound: boolean;
  createdAt: Date;
}

/** A link that signs a member in, once. */
export interface CreatedLink {
  url: string;
  email: string;
  expiresAt: Date;
}

export const LINK_MINUTES = 15;

const EMAIL = /^(?=.{3,200}$)[^\s@\p{C}<>"]+@[^\s@\p{C}<>"]+$/u;

/** An e-mail as it is compared and kept. */
export function emailOf(text: string): string {
  const email = text.trim().toLowerCase();
  if (!EMAIL.test(email)) throw fail("invalid_request", `Not an e-mail address: ${JSON.stringify(text)}`);
  return email;
}

/** The most members of an account; a trigger on `account_members` enforces the limit. */
export const MEMBERS_LIMIT = 100;

/** Adds a member to an account. */
export async function addMember(
  deps: AdminDeps,
  wanted: { accountId: string; email: string; role: Role },
  actor: Actor = OPERATOR,
): Promise<Member> {
  const { accountId, role } = wanted;
  const email = emailOf(wanted.email);
  const member = { id: newId("mem", deps.random), email, role, createdAt: deps.now() };
  const change = { accountId, action: "member.added", environment: null, subject: member.id } as const;
  const statement = sql`
    WITH added AS (
      INSERT INTO account_members (id, account_id, email, role, created_at)
      VALUES (${member.id}, ${accountId}, ${email}, ${role}, ${member.createdAt})
      RETURNING id)
    ${tellAuditLog(deps, actor, { ...change, detail: `${email} as ${role}`, from: sql`added` })}`;
  await deps.db.run(statement).catch((error) => {
    throw memberRefusal(error, accountId, email) ?? error;
  });
  return { ...member, bound: false };
}

function memberRefusal(error: unknown, accountId: string, email: string): Failure | undefined {
  switch (violated(error)?.constraint) {
    case "account_members_account_id_fkey":
      return noSuchAccount(accountId);
    case "account_members_account_id_email_key":
      return fail("invalid_request", `${email} is a member of ${accountId} already.`);
    case "account_members_limit":
      return fail("invalid_request", `${accountId} has ${MEMBERS_LIMIT} members, the most there may be.`);
    default:
      return undefined;
  }
}

/** The members of an account, the oldest first: all of them, or so many after one of them. */
export async function listMembers(
  deps: Pick<AdminDeps, "prisma">,
  accountId: string,
  { after, take = MEMBERS_LIMIT }: { after?: string | undefined; take?: number } = {},
): Promise<Member[]> {
  await requireAccount(deps, accountId);
  const members = await deps.prisma.accountMember.findMany({
    where: { accountId },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    take,
    ...(after && { cursor: { id: after }, skip: 1 }),
  });
  return members.map(({ id, email, role, subject, createdAt }) => ({
    id,
    email,
    role,
    bound: subject !== null,
    createdAt,
  }));
}

/** Removes a member from an account: every link and session of theirs ends with it. */
export async function removeMember(
  deps: AdminDeps,
  wanted: { accountId: string; email: string },
  actor: Actor = OPERATOR,
): Promise<{ id: string; email: string }> {
  const { id, email } = await findMember(deps, wanted);
  const { accountId } = wanted;
  const change = { accountId, action: "member.removed", environment: null, subject: id, detail: email } as const;
  await deps.db.run(sql`
    WITH removed AS (DELETE FROM account_members WHERE id = ${id} RETURNING id)
    ${tellAuditLog(deps, actor, { ...change, from: sql`removed` })}`);
  return { id, email };
}

/** Makes a link that signs a member in, once and within 15 minutes; without an e-mail the account's first administrator. */
export async function createSignInLink(
  deps: AdminDeps,
  wanted: { accountId: string; email?: string | undefined; origin: string },
): Promise<CreatedLink> {
  const member = await findMember(deps, wanted);
  const token = Buffer.from(deps.random(32)).toString("base64url");
  const expiresAt = new Date(deps.now().getTime() + LINK_MINUTES * 60_000);
  await deps.prisma.signInLink.create({ data: { hash: tokenHash(token), memberId: member.id, expiresAt } });
  return { url: `${wanted.origin}/developers/sign-in/${token}`, email: member.email, expiresAt };
}

/** What is kept of a link's or a session's token. */
export function tokenHash(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash("sha256").update(token).digest());
}

async function findMember(deps: AdminDeps, { accountId, email }: { accountId: string; email?: string | undefined }) {
  await requireAccount(deps, accountId);
  const member = await deps.prisma.accountMember.findFirst({
    where: { accountId, ...(email === undefined ? { role: "admin" } : { email: emailOf(email) }) },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
  if (member) return member;
  const missing = email === undefined ? "no administrator" : `no member ${email}`;
  throw fail("not_found", `${accountId} has ${missing}: add one with member add --account ${accountId} --email E.`);
}
