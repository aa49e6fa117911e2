import { createHash } from "node:crypto";
import { limitedNetworks } from "@shipping/kit/http/network";
import { windowStart } from "@shipping/kit/postgres/clock";
import sql from "sql-template-tag";
import type { MemberDeps } from "../database/deps.js";

/** A day in UTC. */
export const DAY_MINUTES = 24 * 60;

export interface MailLimit {
  /** The person or account that is limited, such as `invitations:acc_…`. */
  name: string;
  most: number;
  minutes: number;
}

type Deps = Pick<MemberDeps, "db" | "clockOffsetMs">;

/** Counts one more email in the current window, across all portals, and returns the new count; 0 if the limit was already reached. */
export async function countMail(deps: Deps, limit: MailLimit): Promise<number> {
  const [counted] = await deps.db.run<{ count: number }>(addMail(deps, limit));
  return counted?.count ?? 0;
}

/** The statement that counts one more email. It returns and writes no row if the limit of this window was already reached. */
export function addMail(deps: Deps, { name, most, minutes }: MailLimit) {
  return sql`
    INSERT INTO mail_counts AS c (name, since, count)
    SELECT name, since, 1 FROM (SELECT ${name}::text AS name, ${windowStart(deps, minutes)} AS since) AS asked
    WHERE NOT EXISTS (
      SELECT FROM mail_counts AS counted
      WHERE counted.name = asked.name AND counted.since = asked.since AND counted.count >= ${most}::integer)
    ON CONFLICT (name, since) DO UPDATE SET count = c.count + 1 WHERE c.count < ${most}
    RETURNING count`;
}

/**
 * Counts a request from a client's IP address, for an email or of another kind. Returns false if one of its networks has reached the limit of this
 * window.
 */
export async function countSource(
  deps: Deps,
  source: string,
  { kind = "", ...limit }: Omit<MailLimit, "name"> & { kind?: "" | "provider:" },
): Promise<boolean> {
  for (const { network, most } of limitedNetworks(source, limit.most))
    if (!(await countMail(deps, { name: `source:${kind}${network}`, most, minutes: limit.minutes }))) return false;
  return true;
}

/** Hashes an email address, for counting and remembering it without storing it. */
export function addressHash(email: string): string {
  return createHash("sha256").update(email).digest("hex");
}
