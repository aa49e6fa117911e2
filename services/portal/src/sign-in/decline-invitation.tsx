import { declineInvitation, findInvitation } from "../members/decline-invitations.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type VisitorRequest } from "../page/page.js";
import { Name, titledPage } from "../page/text.js";
import { ConfirmLinkForm, PassLinkForm, readToken, refuseToken } from "./sign-in-link.js";

/** Where the second link of an invitation leads, with the token of the first in its fragment. */
export const DECLINE_PATH = `${AREA_PATH}/decline`;

export async function showDecline(): Promise<PageAnswer> {
  return titledPage("Decline an invitation", <PassLinkForm action={DECLINE_PATH} />);
}

/** `POST /developers/decline`: asks for confirmation, because email scanners open every link. */
export async function confirmDecline(deps: PageDeps, request: VisitorRequest): Promise<PageAnswer> {
  const token = readToken(request);
  const invitation = await findInvitation(deps, token);
  if (!invitation) return refuseInvitation(deps, request);
  const body = (
    <>
      <h1>Decline the invitation?</h1>
      <p>
        <Name>{invitation.email}</Name> gets no more invitations to <Name>{invitation.accountName}</Name>, and the links
        in those that you received stop working.
      </p>
      <ConfirmLinkForm path={DECLINE_PATH} token={token} words="Decline invitation" />
    </>
  );
  return { ...htmlPage("Decline an invitation", body), secret: true };
}

export async function submitDecline(deps: PageDeps, request: VisitorRequest): Promise<PageAnswer> {
  const invitation = await findInvitation(deps, readToken(request));
  if (!invitation || !(await declineInvitation(deps, invitation, request.source)))
    return refuseInvitation(deps, request);
  return titledPage(
    "Invitation declined",
    <p>
      <Name>{invitation.email}</Name> gets no more invitations to <Name>{invitation.accountName}</Name>.
    </p>,
  );
}

function refuseInvitation(deps: PageDeps, request: VisitorRequest): Promise<PageAnswer> {
  const why = (
    <p>
      It was already accepted, declined or withdrawn, it has expired, or its link was copied incompletely. If you
      received several invitations, use the link in the latest one.
    </p>
  );
  return refuseToken(deps, request, "Invitation not found", why);
}
