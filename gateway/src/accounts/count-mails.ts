import sql from "sql-template-tag";
import { type AdminDeps, windowStart } from "../database/deps.js";

export const MAX_WINDOW_MINUTES = 60;

export interface MailLimit {
  /** Who or what is limited, such as `invitations:acc_…`. */
  name: string;
  most: number;
  minutes: number;
}

/** Counts one more, across all gateways. False: the limit of this window was already reached. */
export async function countMail(
  deps: Pick<AdminDeps, "db" | "clockOffsetMs">,
  { name, most, minutes }: MailLimit,
): Promise<boolean> {
  const counted = await deps.db.run(sql`
    INSERT INTO mail_counts AS c (name, since, count) VALUES (${name}, ${windowStart(deps, minutes)}, 1)
    ON CONFLICT (name, since) DO UPDATE SET count = c.count + 1 WHERE c.count < ${most}
    RETURNING count`);
  return counted.length > 0;
}
