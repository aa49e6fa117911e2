import { pooledRandom } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import { newToken } from "@shipping/portal/members/manage-members";
import sql from "sql-template-tag";

/** Adds a member to an account in the portal's database, whether or not the portal knows the account yet. Yields the cookie of a session. */
export async function signIn(
  portal: Database,
  { accountId, email, role }: { accountId: string; email: string; role: "admin" | "viewer" },
): Promise<string> {
  const { token, hash } = newToken({ random: pooledRandom });
  const id = `mem_${accountId}`;
  await portal.run(sql`
    INSERT INTO accounts (id, name, read_at) VALUES (${accountId}, 'Trial', 'epoch') ON CONFLICT (id) DO NOTHING`);
  await portal.run(sql`
    INSERT INTO account_members (id, account_id, email, role, created_at) VALUES (${id}, ${accountId}, ${email}, ${role}, now())`);
  await portal.run(sql`
    INSERT INTO sessions (hash, member_id, created_at, authenticated_at, seen_at) VALUES (${hash}, ${id}, now(), now(), now())`);
  return `developers-session=${token}`;
}
