import { createHash } from "node:crypto";
import { limitedNetworks } from "@shipping/kit/http/network";
import { windowStart } from "@shipping/kit/postgres/clock";
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
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

/**
 * The statement that counts one more email. It returns and writes no row if the limit of this window was already reached, or if `after`, an earlier
 * part of the same statement, has no row.
 */
export function addMail(deps: Pick<Deps, "clockOffsetMs">, { name, most, minutes }: MailLimit, after?: Sql): Sql {
  return sql`
    INSERT INTO mail_counts AS c (name, since, count)
    SELECT name, since, 1 FROM (SELECT ${name}::text AS name, ${windowStart(deps, minutes)} AS since) AS asked
    WHERE ${after ? sql`EXISTS (SELECT FROM ${after}) AND` : empty} NOT EXISTS (
      SELECT FROM mail_counts AS counted
      WHERE counted.name = asked.name AND counted.since = asked.since AND counted.count >= ${most}::integer)
    ON CONFLICT (name, since) DO UPDATE SET count = c.count + 1 WHERE c.count < ${most}
    RETURNING count`;
}

type SourceLimit = Omit<MailLimit, "name"> & { kind?: "" | "provider:" };

/**
 * The parts of a statement that count a request from a client's IP address, for an email or of another kind. `counted` names the last part, which has
 * a row unless one of the client's networks has reached the limit of this window.
 */
export function addSource(deps: Pick<Deps, "clockOffsetMs">, source: string, { kind = "", ...limit }: SourceLimit) {
  const networks = limitedNetworks(source, limit.most);
  const nameOf = (nth: number) => raw(`counted_${nth}`);
  const parts = networks.map(({ network, most }, nth) => {
    const { minutes } = limit;
    const counting = addMail(
      deps,
      { name: `source:${kind}${network}`, most, minutes },
      nth > 0 ? nameOf(nth - 1) : undefined,
    );
    return sql`${nameOf(nth)} AS (${counting})`;
  });
  return { parts: join(parts), counted: nameOf(networks.length - 1) };
}

/** Counts a request from a client's IP address. Returns false if one of its networks has reached the limit of this window. */
export async function countSource(deps: Deps, source: string, limit: SourceLimit): Promise<boolean> {
  const { parts, counted } = addSource(deps, source, limit);
  return (await deps.db.run(sql`WITH ${parts} SELECT FROM ${counted}`)).length > 0;
}

/** Hashes an email address, for counting and remembering it without storing it. */
export function addressHash(email: string): string {
  return createHash("sha256").update(email).digest("hex");
}
