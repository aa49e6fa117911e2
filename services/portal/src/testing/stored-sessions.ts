import type { Database } from "@shipping/kit/postgres/database";
import sql, { type Sql } from "sql-template-tag";

const minutes = (count = 0): Sql => sql`${count}::float8 * interval '1 minute'`;

/** Moves times of sessions this many minutes into the past: those of members with this email address, or of all. */
export async function ageSessions(
  db: Database,
  by: { created?: number; seen?: number; authenticated?: number; forms?: number },
  email?: string,
): Promise<void> {
  await db.run(sql`
    UPDATE sessions SET created_at = created_at - ${minutes(by.created)}, seen_at = seen_at - ${minutes(by.seen)},
      authenticated_at = authenticated_at - ${minutes(by.authenticated)}, forms_since = forms_since - ${minutes(by.forms)}
    WHERE ${email ?? null}::text IS NULL OR member_id IN (SELECT id FROM account_members WHERE email = ${email ?? null})`);
}

/** Counts so many forms for every session. */
export async function countForms(db: Database, forms: number): Promise<void> {
  await db.run(sql`UPDATE sessions SET forms = ${forms}`);
}

/** Makes every session one that has just signed in and has submitted no form. */
export async function renewSessions(db: Database): Promise<void> {
  await db.run(sql`UPDATE sessions SET forms = 0, authenticated_at = now()`);
}

/** Moves the end of the sign-in links of members with this email address into the past. */
export async function expireLinks(db: Database, email: string): Promise<void> {
  await db.run(sql`
    UPDATE sign_in_links SET expires_at = expires_at - interval '15 minutes'
    WHERE member_id IN (SELECT id FROM account_members WHERE email = ${email})`);
}

/** Removes the counts of emails, callbacks and failed sign-ins. */
export async function clearLimits(db: Database): Promise<void> {
  await db.run(sql`DELETE FROM mail_counts`);
  await db.run(sql`DELETE FROM sign_in_refusals`);
}

/** The counts of emails and callbacks, each as text. */
export async function mailCounts(db: Database): Promise<string[]> {
  return (await db.run<{ line: string }>(sql`SELECT t::text AS line FROM mail_counts AS t`)).map(({ line }) => line);
}

/** Moves the counts of email addresses into the window before theirs. */
export async function ageMailCounts(db: Database): Promise<void> {
  await db.run(sql`UPDATE mail_counts SET since = since - interval '10 minutes' WHERE name LIKE 'address:%'`);
}

/** Counts so many events under a name that has a count, in its window and in the next, which may begin any moment. */
export async function fillMailCount(db: Database, name: string, count: number): Promise<void> {
  const filled = await db.run(sql`
    INSERT INTO mail_counts (name, since, count)
    SELECT name, since + n * interval '10 minutes', ${count} FROM mail_counts, generate_series(0, 1) AS n
    WHERE name = ${name} ON CONFLICT (name, since) DO UPDATE SET count = ${count} RETURNING name`);
  if (filled.length !== 2) throw new Error(`${name} has ${filled.length / 2} counts.`);
}

/** Counts so many webhook tests of an account that has sent one, in the present minute or one before it. */
export async function fillTestCount(db: Database, accountId: string, tests: number, minutesAgo = 0): Promise<void> {
  await db.run(sql`
    UPDATE webhook_tests SET since = date_trunc('minute', now()) - ${minutes(minutesAgo)}, tests = ${tests}
    WHERE account_id = ${accountId}`);
}
