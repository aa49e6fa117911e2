import { databaseNow } from "@shipping/kit/postgres/clock";
import { SITE_NAME } from "@shipping/site/layout/site-header";
import sql from "sql-template-tag";
import type { Mail } from "../mail/deliver.js";
import { toMail } from "../mail/letter.js";
import { type WaitingMail, writeMail } from "../mail/mails.js";
import { addMail, addressHash, addSource, DAY_MINUTES } from "../members/count-mails.js";
import { LINK_MINUTES, newLink } from "../members/manage-members.js";
import type { PageDeps } from "../page/page.js";
import { WINDOW_MINUTES } from "../session/session.js";

/** Requests from one IP address, or a /64, in a window: enough for an office, too few for a program that tries email addresses. */
const MAX_REQUESTS_PER_SOURCE = 60;
/** Emails to one email address in a window. The window is shorter than the life of a link, so one of the links always works. */
export const MAX_MAILS_PER_ADDRESS = 5;
/** Anyone can have emails sent to a member. What members request for themselves while signed in is counted separately. */
export const MAX_MAILS_PER_DAY = 10;
/** The most requests that can wait. Anyone can make them, so they must not fill the database. */
const MAX_WAITING = 5_000;
/** The most accounts in one email, in the order of their names. */
const MAX_LINKS = 50;

type Deps = Pick<PageDeps, "db" | "clockOffsetMs">;

interface WantedLink {
  /** Set if the person is already signed in: only this member gets a link. */
  memberId: string | undefined;
  /** The page that the link leads to. */
  returnTo: string | undefined;
}

/**
 * Stores a request for a sign-in link, whoever has the email address. The limit of the client and the number of waiting requests are checked in the
 * same statement.
 */
export async function keepRequest(
  deps: Deps,
  { email, source, ...content }: WantedLink & { email: string; source: string },
): Promise<"kept" | "limited" | "full"> {
  const limit = { most: MAX_REQUESTS_PER_SOURCE, minutes: WINDOW_MINUTES };
  const { parts, counted } = addSource(deps, source, limit);
  const hasRoom = sql`
    (SELECT count(*) FROM (SELECT FROM mails WHERE kind = 'sign_in_link' LIMIT ${MAX_WAITING}) AS waiting) < ${MAX_WAITING}`;
  const from = sql`${counted} WHERE ${hasRoom}`;
  const mail = { kind: "sign_in_link", recipient: email, content, minutes: LINK_MINUTES, from } as const;
  const [outcome] = await deps.db.run<{ isCounted: boolean; isKept: boolean }>(sql`
    WITH ${parts}, kept AS (${writeMail(deps, mail)})
    SELECT EXISTS (SELECT FROM ${counted}) AS "isCounted", EXISTS (SELECT FROM kept) AS "isKept"`);
  if (outcome?.isKept) return "kept";
  return outcome?.isCounted ? "full" : "limited";
}

/** Writes an email with a link for each account of this email address. Undefined if there is none, or too many emails were sent already. */
export async function writeLinkMail(
  deps: Deps & Pick<PageDeps, "random" | "origin">,
  waiting: WaitingMail,
): Promise<Mail | undefined> {
  const { recipient: email } = waiting;
  const { memberId, returnTo } = waiting.content as WantedLink;
  const members = await deps.db.run<{ id: string; accountName: string }>(sql`
    SELECT m.id, a.name AS "accountName" FROM account_members m JOIN accounts a ON a.id = m.account_id
    WHERE m.email = ${email} AND (${memberId ?? null}::text IS NULL OR m.id = ${memberId ?? null})
    ORDER BY a.name, a.id LIMIT ${MAX_LINKS}`);
  if (members.length === 0) return undefined;
  const today = await countOnce(deps, waiting);
  if (today === 0) return undefined;
  const links = members.map(({ id, accountName }) => ({ id, accountName, ...newLink(deps, deps.origin()) }));
  await deps.db.run(sql`
    INSERT INTO sign_in_links (hash, member_id, expires_at, return_to, emailed)
    SELECT hash, m.id, ${databaseNow(deps)} + ${LINK_MINUTES} * interval '1 minute', ${returnTo ?? null}, true
    FROM unnest(${links.map(({ hash }) => Buffer.from(hash))}::bytea[], ${links.map(({ id }) => id)}::text[]) AS created (hash, member_id)
    JOIN account_members m ON m.id = created.member_id`);
  const last = `This is the last link today: we send this address up to ${MAX_MAILS_PER_DAY} in a day, and more from 00:00 UTC on.`;
  return toMail(email, {
    subject: `Sign in to ${SITE_NAME}`,
    before: ["You requested a link to sign in to the developer area."],
    links: links.map(({ accountName, url }) => ({ words: `Sign in to ${accountName}`, url })),
    after: [
      `${links.length > 1 ? "Each link" : "The link"} works once and expires after ${LINK_MINUTES} minutes.`,
      "If you did not request this, ignore this email. Nobody can sign in without the link.",
      ...(today === MAX_MAILS_PER_DAY ? [last] : []),
    ],
  });
}

/**
 * Counts an email to this address at its first attempt, and notes that with the email. Returns its number today; 0 if the address has reached a limit.
 * Only addresses of members are counted, so that other people's requests leave nothing behind.
 */
async function countOnce(deps: Deps, { id, recipient, content }: WaitingMail): Promise<number> {
  const { today, memberId } = content as WantedLink & { today?: number };
  if (today !== undefined) return today;
  const name = `${memberId === undefined ? "address" : "own"}:${addressHash(recipient)}`;
  const ofDay = { name: `day:${name}`, most: MAX_MAILS_PER_DAY, minutes: DAY_MINUTES };
  const [counted] = await deps.db.run<{ today: number }>(sql`
    WITH recent AS (${addMail(deps, { name, most: MAX_MAILS_PER_ADDRESS, minutes: WINDOW_MINUTES })}),
    today AS (${addMail(deps, ofDay, sql`recent`)})
    UPDATE mails SET content = content || jsonb_build_object('today', coalesce((SELECT count FROM today), 0)) WHERE id = ${id}
    RETURNING (content->>'today')::integer AS today`);
  return counted?.today ?? 0;
}
