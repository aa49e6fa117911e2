import { SITE_NAME } from "@shipping/site/layout/site-header";
import sql from "sql-template-tag";
import type { Mail } from "../mail/deliver.js";
import { toMail } from "../mail/letter.js";
import type { WaitingMail } from "../mail/mails.js";
import { INVITATION_DAYS, writeInvitationLink } from "../members/invite-members.js";
import { newLink, type Role } from "../members/manage-members.js";
import { AREA_PATH, type PageDeps } from "../page/page.js";
import { DECLINE_PATH } from "../sign-in/decline-invitation.js";

type Deps = Pick<PageDeps, "db" | "random" | "origin">;

const PERMISSIONS = {
  admin: "an admin, who can change everything",
  viewer: "a viewer, who has read-only access",
};

/**
 * Writes the email with an invitation, with a link of its own. The links of earlier attempts, whose emails may have arrived, work until the member has
 * signed in, too. Returns undefined if they have signed in meanwhile.
 */
export async function writeInvitation(deps: Deps, { memberId, content }: WaitingMail): Promise<Mail | undefined> {
  const origin = deps.origin();
  const { url, token, hash } = newLink(deps, origin);
  const [invited] = await deps.db.run<{ email: string; role: Role; accountName: string }>(sql`
    WITH invited AS (
      SELECT m.id, m.invited_at, email, role, a.name FROM account_members m JOIN accounts a ON a.id = account_id
      WHERE m.id = ${memberId} AND invited_at IS NOT NULL),
    links AS (${writeInvitationLink(hash, sql`invited`)})
    SELECT email, role, name AS "accountName" FROM invited`);
  if (!invited) return undefined;
  const { email, role, accountName } = invited;
  const { inviter } = content as { inviter: string };
  return toMail(email, {
    subject: `Invitation to ${accountName} on ${SITE_NAME}`,
    before: [`${inviter} has invited you to the developer area of ${accountName} as ${PERMISSIONS[role]}.`],
    links: [
      { words: `Sign in to ${accountName}`, url },
      {
        words: "Decline, and get no more invitations to this account",
        url: `${origin}${DECLINE_PATH}#${token}`,
        quiet: true,
      },
    ],
    after: [
      `The link works once and expires after ${INVITATION_DAYS} days. To sign in later, request a new link at ${origin}${AREA_PATH} with this email address.`,
      "If you did not expect this invitation, ignore this email, or decline it.",
    ],
  });
}
