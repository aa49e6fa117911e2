import { declineInvitation, findInvitation, type PendingInvitation } from "../../accounts/decline-invitations.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type VisitorRequest } from "../page/page.js";
import { Text } from "../page/text.js";
import { limitRefusals } from "./sign-in.js";
import { PassLinkForm, readToken } from "./sign-in-link.js";

/** Where the second link of an invitation leads, with the token of the first in its fragment. */
export const DECLINE_PATH = `${AREA_PATH}/decline`;

/** `GET /developers/decline` */
export async function showDecline(): Promise<PageAnswer> {
  return htmlPage(
    "Decline an invitation",
    <>
      <h1>Decline an invitation</h1>
      <PassLinkForm action={DECLINE_PATH} />
    </>,
  );
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
        <Address {...invitation} /> gets no more invitations to <Account {...invitation} />, and the links in those that
        you received stop working.
      </p>
      <form method="post" action={`${DECLINE_PATH}/confirm`}>
        <input type="hidden" name="link" value={token} />
        <button type="submit">Decline invitation</button>
      </form>
    </>
  );
  return { ...htmlPage("Decline an invitation", body), secret: true };
}

/** `POST /developers/decline/confirm` */
export async function submitDecline(deps: PageDeps, request: VisitorRequest): Promise<PageAnswer> {
  const invitation = await findInvitation(deps, readToken(request));
  if (!invitation || !(await declineInvitation(deps, invitation, request.source)))
    return refuseInvitation(deps, request);
  return htmlPage(
    "Invitation declined",
    <>
      <h1>Invitation declined</h1>
      <p>
        <Address {...invitation} /> gets no more invitations to <Account {...invitation} />.
      </p>
    </>,
  );
}

const Address = ({ email }: PendingInvitation) => (
  <strong>
    <Text>{email}</Text>
  </strong>
);

const Account = ({ accountName }: PendingInvitation) => (
  <strong>
    <Text>{accountName}</Text>
  </strong>
);

async function refuseInvitation(deps: PageDeps, request: VisitorRequest): Promise<PageAnswer> {
  const limited = await limitRefusals(deps, request);
  return (
    limited ?? {
      status: 404,
      title: "Invitation not found",
      body: (
        <>
          <h1>Invitation not found</h1>
          <p>
            It was already accepted, declined or withdrawn, it has expired, or its link was copied incompletely. If you
            received several invitations, use the link in the latest one.
          </p>
        </>
      ),
    }
  );
}
