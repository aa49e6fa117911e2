import { randomBytes } from "node:crypto";
import type { Database } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";
import { newToken } from "../members/manage-members.js";

/**
 * The session cookie of a new member of an account, whose email address begins with the account's ID unless another is given. The portal need
 * not know the account yet.
 */
export async function signedIn(
  { db }: { db: Database },
  accountId: string,
  role = "viewer",
  email = `${accountId}@example.com`,
): Promise<string> {
  const { token, hash } = newToken({ random: randomBytes });
  const id = `mem_${accountId}`;
  await db.run(sql`
    INSERT INTO accounts (id, name, read_at) VALUES (${accountId}, 'Trial', 'epoch') ON CONFLICT (id) DO NOTHING`);
  await db.run(sql`
    INSERT INTO account_members (id, account_id, email, role, created_at) VALUES (${id}, ${accountId}, ${email}, ${role}, now())`);
  await db.run(sql`
    INSERT INTO sessions (hash, member_id, created_at, authenticated_at, seen_at) VALUES (${hash}, ${id}, now(), now(), now())`);
  return `developers-session=${token}`;
}
