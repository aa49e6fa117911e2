import { INVITATION_DAYS, type Invited } from "../../accounts/invite-members.js";
import type { Mail } from "../../mail/deliver.js";
import { mailOf } from "../../mail/mail-of.js";
import { SITE_NAME } from "../../site/site-header.js";
import { AREA_PATH } from "../page/page.js";

const MAY = {
  admin: "an admin, who can change everything",
  viewer: "a viewer, who can see everything but change nothing",
};

/** The mail that invites somebody. */
export function invitationMail(invited: Invited & { inviter: string; accountName: string; origin: string }): Mail {
  const { email, role, url, inviter, accountName, origin } = invited;
  return mailOf(email, {
    subject: `Invitation to ${accountName} on ${SITE_NAME}`,
    before: [`${inviter} has invited you to the developer area of ${accountName} as ${MAY[role]}.`],
    links: [{ words: `Sign in to ${accountName}`, url }],
    after: [
      `The link works once and expires after ${INVITATION_DAYS} days. To sign in later, request a new link at ${origin}${AREA_PATH} with this email address.`,
      "If you did not expect this invitation, ignore this email.",
    ],
  });
}
