import sql, { type Sql } from "sql-template-tag";
import { tokenHash } from "../../accounts/manage-members.js";
import { clock, type GatewayDeps } from "../../database/deps.js";
import { ABSOLUTE_HOURS, cookieIn, FRESH_MINUTES, IDLE_MINUTES, type SignedIn } from "./session.js";

type Deps = Pick<GatewayDeps, "db" | "clockOffsetMs" | "random"> & { origin(): string };

const minutes = (count: number) => sql`${count} * interval '1 minute'`;

/** The condition on `sessions AS s` that one has not ended. */
export function isOpen(deps: Pick<Deps, "db" | "clockOffsetMs">): Sql {
  return sql`s.seen_at > ${clock(deps)} - ${minutes(IDLE_MINUTES)}
    AND s.created_at > ${clock(deps)} - ${minutes(ABSOLUTE_HOURS * 60)}`;
}

/** The member whose session a request's cookie names, if it is open. Each request extends it. */
export async function findSession(deps: Deps, cookies: string | undefined): Promise<SignedIn | undefined> {
  const token = cookieIn(cookies, "session", deps.origin());
  if (!token) return undefined;
  const [row] = await deps.db.run<SignedIn & { stale: boolean }>(sql`
    SELECT s.hash, m.id AS "memberId", m.email, m.role, a.id AS "accountId", a.name AS "accountName",
      a.suspended_at IS NOT NULL AS suspended,
      s.authenticated_at > ${clock(deps)} - ${minutes(FRESH_MINUTES)} AS fresh,
      s.seen_at < ${clock(deps)} - interval '1 minute' AS stale
    FROM sessions s
    JOIN account_members m ON m.id = s.member_id
    JOIN accounts a ON a.id = m.account_id
    WHERE s.hash = ${hashOf(token)} AND ${isOpen(deps)}`);
  if (!row) return undefined;
  const { stale, ...session } = row;
  if (stale) await deps.db.run(sql`UPDATE sessions SET seen_at = ${clock(deps)} WHERE hash = ${session.hash}`);
  return session;
}

/** A new token for each session: a token that a browser brings is never adopted. */
export function newSessionToken({ random }: Pick<Deps, "random">): { token: string; hash: Buffer } {
  const token = Buffer.from(random(32)).toString("base64url");
  return { token, hash: hashOf(token) };
}

/** Ends the session that a request's cookie names, if there is one. */
export async function endSession(deps: Deps, cookies: string | undefined): Promise<void> {
  const token = cookieIn(cookies, "session", deps.origin());
  if (token) await deps.db.run(sql`DELETE FROM sessions WHERE hash = ${hashOf(token)}`);
}

/** The hash under which a token is kept. */
export function hashOf(token: string): Buffer {
  return Buffer.from(tokenHash(token));
}
