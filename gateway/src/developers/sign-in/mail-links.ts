import { createHash } from "node:crypto";
import sql from "sql-template-tag";
import { countMail } from "../../accounts/count-mails.js";
import { LINK_MINUTES, newLink } from "../../accounts/manage-members.js";
import { clock } from "../../database/deps.js";
import type { Mail } from "../../mail/deliver.js";
import { mailOf } from "../../mail/mail-of.js";
import { SITE_NAME } from "../../site/site-header.js";
import type { PageDeps } from "../page/page.js";
import { WINDOW_MINUTES } from "../session/limit-window.js";

/** Mails of links to one address in a window. Shorter than the life of a link, it ends while the last one still signs in. */
export const MAILS_PER_ADDRESS = 5;
/** The most accounts in one email: those whose names come first. */
const MAX_LINKS = 50;

/** Who asked for a link. */
export interface WantedLink {
  /** As it is kept: in lower case. */
  email: string;
  /** Only for this member, who is already signed in. */
  memberId?: string | undefined;
  /** The page of the area that the link leads to. */
  returnTo?: string | undefined;
}

type Deps = Pick<PageDeps, "db" | "clockOffsetMs" | "random" | "origin">;

/** Writes the mail with a link for each account that somebody is a member of; none to a stranger, or to somebody who has had several. */
export async function writeLinkMail(deps: Deps, wanted: WantedLink): Promise<Mail | undefined> {
  const { email, memberId, returnTo } = wanted;
  const members = await deps.db.run<{ id: string; accountName: string }>(sql`
    SELECT m.id, a.name AS "accountName" FROM account_members m JOIN accounts a ON a.id = m.account_id
    WHERE m.email = ${email} AND (${memberId ?? null}::text IS NULL OR m.id = ${memberId ?? null})
    ORDER BY a.name, a.id LIMIT ${MAX_LINKS}`);
  if (members.length === 0) return undefined;
  // Kept without the address itself.
  const name = `address:${createHash("sha256").update(email).digest("hex")}`;
  if (!(await countMail(deps, { name, most: MAILS_PER_ADDRESS, minutes: WINDOW_MINUTES }))) return undefined;
  const links = members.map(({ id, accountName }) => ({ id, accountName, ...newLink(deps, deps.origin()) }));
  await deps.db.run(sql`
    INSERT INTO sign_in_links (hash, member_id, expires_at, return_to)
    SELECT hash, m.id, ${clock(deps)} + ${LINK_MINUTES} * interval '1 minute', ${returnTo ?? null}
    FROM unnest(${links.map(({ hash }) => Buffer.from(hash))}::bytea[], ${links.map(({ id }) => id)}::text[]) AS made (hash, member_id)
    JOIN account_members m ON m.id = made.member_id`);
  return mailOf(email, {
    subject: `Sign in to ${SITE_NAME}`,
    before: ["You requested a link to sign in to the developer area."],
    links: links.map(({ accountName, url }) => ({ words: `Sign in to ${accountName}`, url })),
    after: [
      `${links.length > 1 ? "Each link" : "The link"} works once and expires after ${LINK_MINUTES} minutes.`,
      "If you did not request this, ignore this email. Nobody can sign in without the link.",
    ],
  });
}
