import { INVITATION_DAYS } from "../../accounts/invite-members.js";
import { LINK_MINUTES } from "../../accounts/manage-members.js";
import { CLEAR_PATH } from "../page/assets.js";
import { AREA_PATH, type HtmlPage, type PageAnswer, type PageDeps, shown, type VisitorRequest } from "../page/page.js";
import { Text } from "../page/text.js";
import { endSession } from "../session/keep-session.js";
import { isAllowedReturnTo } from "../session/provider.js";
import { FRESH_MINUTES, type SignedIn, setCookie } from "../session/session.js";
import { LinkByMail } from "./ask-for-link.js";
import { limitRefusals } from "./limit-sign-in.js";
import { peekLink, redeemLink } from "./redeem-link.js";

const PROVIDER_PATH = `${AREA_PATH}/sign-in/provider`;

/** `GET /developers`: the sign-in page, or a redirect to the overview. */
export async function showEntrance(
  deps: PageDeps,
  { session }: { session: SignedIn | undefined },
): Promise<PageAnswer> {
  return session ? { location: `${AREA_PATH}/sandbox` } : showSignedOut(deps);
}

/** The sign-in page. Its picture clears what the browser still keeps of the pages before, script or no script. */
export function showSignedOut(deps: Pick<PageDeps, "provider" | "mailer">): HtmlPage {
  return {
    status: 401,
    title: "Sign in",
    body: (
      <>
        <h1>Developer area</h1>
        <p>Sign in to see the shipments, requests, API keys and webhooks of your account.</p>
        <WaysIn deps={deps} provider={{ path: PROVIDER_PATH, words: "Sign in" }} />
        <img src={CLEAR_PATH} alt="" width="1" height="1" />
      </>
    ),
  };
}

/** Says that this takes a sign-in of the last minutes, and offers one. */
export function showSignInAgain(
  deps: Pick<PageDeps, "provider" | "mailer">,
  { url, email }: Pick<VisitorRequest, "url"> & { email: string },
): HtmlPage {
  // Of a form that was submitted too late, the query is the form's, not its page's.
  const returnTo = url.replace(/\?.*/, "");
  const path = `${PROVIDER_PATH}?return_to=${encodeURIComponent(returnTo)}`;
  return {
    status: 403,
    title: "Sign in again",
    body: (
      <>
        <h1>Sign in again</h1>
        <p>
          To change the live environment or the members of an account, you must have signed in within the last{" "}
          {FRESH_MINUTES} minutes.
        </p>
        <WaysIn
          deps={deps}
          provider={{ path, words: "Sign in again" }}
          email={email}
          returnTo={isAllowedReturnTo(returnTo) ? returnTo : undefined}
        />
      </>
    ),
  };
}

/** Through the provider, by mail, or both. The operator's links are told of where there is neither. */
function WaysIn(props: {
  deps: Pick<PageDeps, "provider" | "mailer">;
  provider: { path: string; words: string };
  email?: string;
  returnTo?: string | undefined;
}) {
  const { deps, provider, ...known } = props;
  const isTold = !deps.provider || deps.mailer.canSend;
  return (
    <>
      {deps.provider && (
        <p>
          <a class="button" href={provider.path}>
            {provider.words}
          </a>
        </p>
      )}
      {isTold && <LinkByMail deps={deps} {...known} />}
    </>
  );
}

/** `GET /developers/sign-in/{token}`: whom the link would sign in. */
export async function confirmSignIn(deps: PageDeps, asked: VisitorRequest): Promise<PageAnswer> {
  const link = await peekLink(deps, asked.id);
  if (!link) return refuseLink(deps, asked);
  return shown(
    "Sign in",
    <>
      <h1>Sign in</h1>
      <p>
        Sign in as{" "}
        <strong>
          <Text>{link.email}</Text>
        </strong>{" "}
        to the developer area of{" "}
        <strong>
          <Text>{link.accountName}</Text>
        </strong>
        . The link works once.
      </p>
      <form method="post">
        <button type="submit">Sign in</button>
      </form>
    </>,
  );
}

/** `POST /developers/sign-in/{token}`: spends the link. */
export async function submitSignIn(deps: PageDeps, asked: VisitorRequest): Promise<PageAnswer> {
  const redeemed = await redeemLink(deps, asked.id);
  if (!redeemed) return refuseLink(deps, asked);
  await endSession(deps, asked.cookies);
  const { token, returnTo } = redeemed;
  const location = returnTo !== null && isAllowedReturnTo(returnTo) ? returnTo : `${AREA_PATH}/sandbox`;
  return { location, cookies: [setCookie("session", token, deps.origin())] };
}

/** `POST /developers/sign-out`. */
export async function signOut(deps: PageDeps, { cookies }: VisitorRequest): Promise<PageAnswer> {
  await endSession(deps, cookies);
  return { location: AREA_PATH, cookies: [setCookie("session", undefined, deps.origin())] };
}

// One answer for links that never existed, were used, or have expired.
async function refuseLink(deps: PageDeps, asked: VisitorRequest): Promise<HtmlPage> {
  const limited = await limitRefusals(deps, asked);
  return (
    limited ?? {
      status: 404,
      title: "This link does not work",
      body: (
        <>
          <h1>This link does not work</h1>
          <p>
            It was already used, replaced by a newer link, or copied incompletely, or it has expired. Sign-in links
            expire after {LINK_MINUTES} minutes, invitations after {INVITATION_DAYS} days or once you have signed in in
            another way.
          </p>
          <WaysIn deps={deps} provider={{ path: PROVIDER_PATH, words: "Sign in" }} />
        </>
      ),
    }
  );
}
