import sql, { type Sql } from "sql-template-tag";
import { clock } from "../../database/deps.js";
import type { PageDeps } from "../page/page.js";
import { hashOf, newSessionToken } from "../session/keep-session.js";

type Deps = Pick<PageDeps, "db" | "clockOffsetMs" | "random">;

/**
 * The condition on `sign_in_links AS l` and its member `m` that a link signs in. An invitation, which a form has sent, does so until its member
 * has come, whichever way they came.
 */
function isGood(deps: Deps, token: string): Sql {
  return sql`l.hash = ${hashOf(token)} AND l.expires_at > ${clock(deps)}
    AND (l.form_id IS NULL OR m.invited_at IS NOT NULL)`;
}

/** The member whom a link would sign in. Reading does not use it up: mail scanners open every link. */
export async function peekLink(deps: Deps, token: string): Promise<{ email: string; accountName: string } | undefined> {
  const [link] = await deps.db.run<{ email: string; accountName: string }>(sql`
    SELECT m.email, a.name AS "accountName"
    FROM sign_in_links l
    JOIN account_members m ON m.id = l.member_id
    JOIN accounts a ON a.id = m.account_id
    WHERE ${isGood(deps, token)}`);
  return link;
}

/** Exchanges a link for a session, and returns its token. One statement: of concurrent requests, one gets it. Whoever was invited has come. */
export async function redeemLink(
  deps: Deps,
  linkToken: string,
): Promise<{ token: string; returnTo: string | null } | undefined> {
  const { token, hash } = newSessionToken(deps);
  const [spent] = await deps.db.run<{ returnTo: string | null }>(sql`
    WITH spent AS (
      DELETE FROM sign_in_links l USING account_members m WHERE m.id = l.member_id AND ${isGood(deps, linkToken)}
      RETURNING l.member_id, l.return_to
    ),
    sessions AS (
      INSERT INTO sessions (hash, member_id, created_at, authenticated_at, seen_at)
      SELECT ${hash}, member_id, ${clock(deps)}, ${clock(deps)}, ${clock(deps)} FROM spent
    ),
    came AS (
      UPDATE account_members SET invited_at = NULL FROM spent WHERE id = spent.member_id AND invited_at IS NOT NULL
    )
    SELECT return_to AS "returnTo" FROM spent`);
  return spent && { token, returnTo: spent.returnTo };
}
