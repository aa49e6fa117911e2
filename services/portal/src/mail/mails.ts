import { databaseNow } from "@shipping/kit/postgres/clock";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Finding } from "@shipping/kit/service/finding";
import sql, { type Sql } from "sql-template-tag";
import type { PortalDeps } from "../database/deps.js";

export type MailKind = "sign_in_link" | "invitation" | "alert";

/** An email that is not sent yet. */
export interface WaitingMail {
  id: string;
  kind: MailKind;
  memberId: string | null;
  recipient: string;
  /** The facts from which the email is written. They contain no token. */
  content: unknown;
  /** The number of attempts so far. It identifies the latest one: an older attempt stores no outcome. */
  attempts: number;
  isExpired: boolean;
}

type Deps = Pick<PortalDeps, "db"> & Partial<Pick<PortalDeps, "clockOffsetMs">>;

/**
 * The part of a statement that writes an email for each row of `from`, so that the email waits as soon as its cause is stored. It is attempted for
 * `minutes`.
 */
export function writeMail(
  deps: Pick<Deps, "clockOffsetMs">,
  mail: { kind: MailKind; memberId?: Sql; recipient: Sql | string; content: object; minutes: number; from: Sql },
): Sql {
  const { kind, memberId = sql`NULL`, recipient, content, minutes, from } = mail;
  const now = databaseNow(deps);
  return sql`
    INSERT INTO mails (kind, member_id, recipient, content, created_at, expires_at, next_at)
    SELECT ${kind}, ${memberId}, ${recipient}, ${JSON.stringify(content)}::jsonb, ${now},
      ${now} + ${minutes}::integer * interval '1 minute', ${now}
    FROM ${from}
    RETURNING id`;
}

/** An attempt ends before its lease, so that no other process sends the same email meanwhile. */
export const LEASE_MS = 60_000;

/** Leases emails that are due to this process. Requested links, which anyone can cause, come last. */
export function claimMails(deps: Deps, most: number): Promise<WaitingMail[]> {
  const now = databaseNow(deps);
  return deps.db.run<WaitingMail>(sql`
    WITH due AS (
      SELECT id FROM mails WHERE next_at <= ${now}
      ORDER BY kind = 'sign_in_link', next_at LIMIT ${most} FOR UPDATE SKIP LOCKED)
    UPDATE mails AS m SET attempts = attempts + 1, next_at = ${databaseNow(deps, LEASE_MS)}
    FROM due WHERE m.id = due.id
    RETURNING m.id, kind, member_id AS "memberId", recipient, content, attempts, expires_at <= ${now} AS "isExpired"`);
}

/** Makes an email wait for its next attempt, which is its last one if it expires before. */
export async function postponeMail(deps: Deps, { id, attempts }: WaitingMail, waitMs: number): Promise<void> {
  await deps.db.run(sql`
    UPDATE mails SET next_at = least(${databaseNow(deps, waitMs)}, expires_at) WHERE id = ${id} AND attempts = ${attempts}`);
}

/** Deletes an email that is sent, was given up, or is not needed. The list of members says what became of an invitation. */
export async function endMail(deps: Deps, { id, attempts }: WaitingMail, outcome: "sent" | "failed" | undefined) {
  await deps.db.run(sql`
    WITH ended AS (DELETE FROM mails WHERE id = ${id} AND attempts = ${attempts} RETURNING kind, member_id)
    UPDATE account_members AS m SET invitation_mail = ${outcome ?? null}
    FROM ended WHERE kind = 'invitation' AND m.id = ended.member_id`);
}

const MAX_COUNTED = 10_000;

async function readBacklog(deps: Deps): Promise<{ waiting: number; oldestSeconds: number }> {
  const [backlog] = await deps.db.run<{ waiting: number; oldestSeconds: number }>(sql`
    SELECT count(*)::integer AS waiting,
      coalesce(extract(epoch FROM ${databaseNow(deps)} - min(created_at)), 0)::float8 AS "oldestSeconds"
    FROM (SELECT created_at FROM mails ORDER BY created_at LIMIT ${MAX_COUNTED}) AS waiting`);
  return backlog!;
}

/** Measures the emails that wait. Replicas show the same numbers: they share the database. */
export function measureMails(metrics: Metrics, deps: Deps): void {
  const help = {
    mails_waiting: "Emails that are not sent yet, counted up to 10,000.",
    mails_oldest_waiting_seconds: "Age in seconds of the oldest email that is not sent yet; 0 if there is none.",
  };
  metrics.gauges(help, async () => {
    const { waiting, oldestSeconds } = await readBacklog(deps);
    return { mails_waiting: waiting, mails_oldest_waiting_seconds: oldestSeconds };
  });
}

const LATE_SECONDS = 600;

/** Says how many emails wait, and since when. */
export async function checkMails(deps: Deps): Promise<Finding> {
  const { waiting, oldestSeconds } = await readBacklog(deps);
  const part = "emails";
  if (waiting === 0) return { part, ok: true, says: "none waiting" };
  const says = `${waiting} waiting, the oldest for ${Math.floor(oldestSeconds / 60)} min`;
  if (oldestSeconds <= LATE_SECONDS) return { part, ok: true, says };
  return { part, ok: false, says, advice: "The log of the portal says why they were not sent: `email not sent yet`." };
}
