import { fail } from "@shipping/kit/errors";
import { databaseNow, windowStart } from "@shipping/kit/postgres/clock";
import { cleaned } from "@shipping/kit/process/log";
import { stringifySetCookie } from "cookie";
import sql, { type Sql } from "sql-template-tag";
import { writeAuditEntry } from "../audit/audit.js";
import type { PortalDeps } from "../database/deps.js";
import { hashToken, newToken } from "../members/manage-members.js";

/** A session ends after 30 minutes without a request, and after 8 hours in any case. */
const IDLE_MINUTES = 30;
const ABSOLUTE_HOURS = 8;
/** How long after authentication a person may make changes that require a recent sign-in. */
export const FRESH_MINUTES = 15;
/** Forms, sign-in attempts and emails are counted in windows of this length. */
export const WINDOW_MINUTES = 10;
/** Forms per session and window: far more than a person submits, but few enough to keep a program from flooding the account. */
const MAX_FORMS = 100;
const MAX_USER_AGENT = 200;
/** Sessions of a member: more than the browsers of a person. */
export const MAX_SESSIONS = 20;

export interface SignedIn {
  /** The SHA-256 of the session's cookie. */
  hash: Buffer;
  memberId: string;
  email: string;
  role: "admin" | "viewer";
  accountId: string;
  accountName: string;
  suspended: boolean;
  /** True for `FRESH_MINUTES` after authentication. */
  fresh: boolean;
}

type Deps = Pick<PortalDeps, "db" | "clockOffsetMs" | "random"> & { origin(): string };
type DatabaseDeps = Pick<Deps, "db" | "clockOffsetMs">;
export type WriteDeps = DatabaseDeps & Pick<Deps, "random">;

const minutes = (count: number) => sql`${count} * interval '1 minute'`;

/** The SQL condition that a session `s` has not ended. */
export function isOpen(deps: DatabaseDeps): Sql {
  return sql`s.seen_at > ${databaseNow(deps)} - ${minutes(IDLE_MINUTES)}
    AND s.created_at > ${databaseNow(deps)} - ${minutes(ABSOLUTE_HOURS * 60)}`;
}

/**
 * Finds the open session that the `Cookie` header names. Each request of a person extends it, and its IP address is stored. One that the script
 * makes by itself leaves it as it is, so that a page that stays open does not keep the session.
 */
export async function findSession(
  deps: Deps,
  cookies: string | undefined,
  source: string,
  { extends: isExtended }: { extends: boolean } = { extends: true },
) {
  const token = readCookie(cookies, "session", deps.origin());
  if (!token) return undefined;
  const [row] = await deps.db.run<SignedIn & { stale: boolean }>(sql`
    SELECT s.hash, m.id AS "memberId", m.email, m.role, a.id AS "accountId", a.name AS "accountName",
      a.suspended_at IS NOT NULL AS suspended,
      s.authenticated_at > ${databaseNow(deps)} - ${minutes(FRESH_MINUTES)} AS fresh,
      s.seen_at < ${databaseNow(deps)} - interval '1 minute' OR s.source IS DISTINCT FROM ${source} AS stale
    FROM sessions s
    JOIN account_members m ON m.id = s.member_id
    JOIN accounts a ON a.id = m.account_id
    WHERE s.hash = ${hashToken(token)} AND ${isOpen(deps)}`);
  if (!row) return undefined;
  const { stale, ...session } = row;
  // Once a minute is enough, and spares most requests a write.
  if (stale && isExtended) {
    await deps.db.run(
      sql`UPDATE sessions SET seen_at = ${databaseNow(deps)}, source = ${source} WHERE hash = ${session.hash}`,
    );
  }
  return session;
}

/**
 * Starts a session for a member whom the provider has identified, and returns its token. If the provider does not say when the member
 * authenticated, it counts as long ago; a time in the future counts as now.
 */
export async function startSession(
  deps: WriteDeps,
  memberId: string,
  { authenticatedAt }: { authenticatedAt: Date | undefined },
  from: SignInOrigin,
): Promise<string> {
  const { token, hash } = newToken(deps);
  const longAgo = sql`${databaseNow(deps)} - ${minutes(FRESH_MINUTES)}`;
  const provenAt = sql`least(coalesce(${authenticatedAt ?? null}::timestamptz, ${longAgo}), ${databaseNow(deps)})`;
  await deps.db.run(sql`
    WITH signed_in AS (SELECT id AS member_id, account_id, email FROM account_members WHERE id = ${memberId}),
    ${writeSession(deps, { hash, provenAt, proof: sql`'provider'`, way: "through the provider", from })}
    SELECT FROM signed_in`);
  return token;
}

/** Origin of a sign-in. */
export interface SignInOrigin {
  source: string;
  userAgent: string;
}

/**
 * The parts of a sign-in's statement that write the session, and that an invited member has joined. The statement begins with `signed_in`: at
 * most one row with `member_id`, `account_id` and `email`. `proof` is `mailbox` or `provider`, or null if neither is proved.
 */
export function writeSession(
  deps: Pick<WriteDeps, "random" | "clockOffsetMs">,
  wanted: { hash: Buffer; provenAt: Sql; proof: Sql; way: string; from: SignInOrigin },
): Sql {
  const { hash, provenAt, proof, way, from } = wanted;
  const userAgent = cleaned(from.userAgent, MAX_USER_AGENT);
  return sql`
    joined AS (UPDATE account_members SET invited_at = NULL FROM signed_in WHERE id = member_id AND invited_at IS NOT NULL),
    begun AS (
      INSERT INTO sessions (hash, member_id, created_at, authenticated_at, seen_at, source, user_agent, proof)
      SELECT ${hash}, member_id, ${databaseNow(deps)}, ${provenAt}, ${databaseNow(deps)}, ${from.source}, ${userAgent}, ${proof} FROM signed_in),
    ${writeSignIn(deps, way, from)}`;
}

/** The parts of any sign-in's statement: they write the audit entry, and end the sessions beyond the member's maximum. */
export function writeSignIn(
  deps: Pick<WriteDeps, "random" | "clockOffsetMs">,
  way: string,
  { source, userAgent }: SignInOrigin,
): Sql {
  const detail = withDevice(way, userAgent);
  const member = { accountId: sql`account_id`, subject: sql`member_id`, environment: null };
  const entry = { ...member, action: "member.signed_in", detail, from: sql`signed_in` } as const;
  return sql`
    outnumbered AS (
      DELETE FROM sessions WHERE hash IN (
        SELECT hash FROM sessions JOIN signed_in USING (member_id)
        ORDER BY seen_at DESC, hash OFFSET ${MAX_SESSIONS - 1})),
    entries AS (${writeAuditEntry(deps, { name: sql`email`, source }, entry)})`;
}

/** The detail of a sign-in's audit entry, which the page splits again. */
export function withDevice(way: string, userAgent: string): string {
  return `${way}, ${cleaned(userAgent, MAX_USER_AGENT)}`;
}

export async function endSession(deps: Deps, cookies: string | undefined): Promise<void> {
  const token = readCookie(cookies, "session", deps.origin());
  if (token) await deps.db.run(sql`DELETE FROM sessions WHERE hash = ${hashToken(token)}`);
}

/** Counts a form that a session submits, and refuses it from the 101st in a window on. */
export async function limitForms(deps: DatabaseDeps, { hash }: Pick<SignedIn, "hash">): Promise<void> {
  const counted = await deps.db.run(sql`
    WITH this_window AS (SELECT ${windowStart(deps, WINDOW_MINUTES)} AS start)
    UPDATE sessions SET forms = CASE WHEN forms_since = start THEN forms + 1 ELSE 1 END, forms_since = start
    FROM this_window
    WHERE hash = ${hash} AND (forms < ${MAX_FORMS} OR forms_since IS DISTINCT FROM start)
    RETURNING forms`);
  if (counted.length > 0) return;
  throw fail("rate_limited", `You have submitted too many forms. Try again in ${WINDOW_MINUTES} minutes.`);
}

/** `sign-in` exists while the browser is at the OpenID provider, and `done` until the next page has said what a form has changed. */
type CookieName = "session" | "sign-in" | "done";

/** `__Host-` requires https and keeps other hosts from setting the cookie. On loopback there is no https. */
function fullName(name: CookieName, origin: string): string {
  return origin.startsWith("https:") ? `__Host-developers-${name}` : `developers-${name}`;
}

/** A `Set-Cookie` header: keeps `value` until the browser closes, or removes the cookie if `value` is undefined. */
export function setCookie(name: CookieName, value: string | undefined, origin: string): string {
  return stringifySetCookie({
    name: fullName(name, origin),
    value: value ?? "",
    path: "/",
    httpOnly: true,
    // Not `strict`: the provider's redirect back to us comes from another site.
    sameSite: "lax",
    secure: origin.startsWith("https:"),
    ...(value === undefined && { maxAge: 0 }),
  });
}

/** Reads a cookie from the `Cookie` header. If it was sent twice, somebody else has set one of them, so neither counts. */
export function readCookie(header: string | undefined, name: CookieName, origin: string): string | undefined {
  const start = `${fullName(name, origin)}=`;
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  const found = pairs.filter((pair) => pair.startsWith(start));
  return found.length === 1 ? found[0]?.slice(start.length) || undefined : undefined;
}
