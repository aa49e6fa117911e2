import sql from "sql-template-tag";
import { clock } from "../../database/deps.js";
import type { PageDeps } from "../page/page.js";
import { newSessionToken } from "../session/keep-session.js";
import type { Identity } from "../session/provider.js";
import { FRESH_MINUTES } from "../session/session.js";

/**
 * Starts a session of a member whom the provider has identified, and returns its token. Without a time from the provider the
 * authentication counts as old; with a time in the future, as of now.
 */
export async function startSession(
  deps: Pick<PageDeps, "db" | "clockOffsetMs" | "random">,
  memberId: string,
  { authenticatedAt }: Pick<Identity, "authenticatedAt">,
): Promise<string> {
  const { token, hash } = newSessionToken(deps);
  const longAgo = sql`${clock(deps)} - ${FRESH_MINUTES} * interval '1 minute'`;
  await deps.db.run(sql`
    WITH came AS (UPDATE account_members SET invited_at = NULL WHERE id = ${memberId} AND invited_at IS NOT NULL)
    INSERT INTO sessions (hash, member_id, created_at, authenticated_at, seen_at)
    VALUES (${hash}, ${memberId}, ${clock(deps)},
      least(coalesce(${authenticatedAt ?? null}::timestamptz, ${longAgo}), ${clock(deps)}), ${clock(deps)})`);
  return token;
}
