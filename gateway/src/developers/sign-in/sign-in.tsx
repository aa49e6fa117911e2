import { LINK_MINUTES } from "../../accounts/manage-members.js";
import { CLEAR_PATH } from "../page/assets.js";
import { AREA_PATH, type HtmlPage, type PageAnswer, type PageDeps, shown, type VisitorRequest } from "../page/page.js";
import { Code, Text } from "../page/text.js";
import { endSession } from "../session/keep-session.js";
import { FRESH_MINUTES, type SignedIn, setCookie } from "../session/session.js";
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
export function showSignedOut({ provider }: Pick<PageDeps, "provider">): HtmlPage {
  return {
    status: 401,
    title: "Sign in",
    body: (
      <>
        <h1>Developer area</h1>
        <p>API keys, webhook subscriptions and how to begin. Sign in to see those of your account.</p>
        {provider ? (
          <a class="button" href={PROVIDER_PATH}>
            Sign in
          </a>
        ) : (
          <HowToGetALink />
        )}
        <img src={CLEAR_PATH} alt="" width="1" height="1" />
      </>
    ),
  };
}

/** Says that this takes a sign-in of the last minutes, and offers one. */
export function showSignInAgain({ provider }: PageDeps, { url }: Pick<VisitorRequest, "url">): HtmlPage {
  return {
    status: 403,
    title: "Sign in again",
    body: (
      <>
        <h1>Sign in again</h1>
        <p>
          To change the live environment or the members of the account, you must have signed in within the last{" "}
          {FRESH_MINUTES} minutes.
        </p>
        {provider ? (
          <a class="button" href={`${PROVIDER_PATH}?return_to=${encodeURIComponent(url)}`}>
            Sign in again
          </a>
        ) : (
          <HowToGetALink />
        )}
      </>
    ),
  };
}

function HowToGetALink() {
  return (
    <>
      <p>
        You sign in with a link. Whoever operates this installation makes one for you; it works once, for {LINK_MINUTES}{" "}
        minutes:
      </p>
      <Code>npm run -s admin -- sign-in-link --account ACCOUNT --email YOU</Code>
    </>
  );
}

/** `GET /developers/sign-in/{token}`: whom the link would sign in. */
export async function askToSignIn(deps: PageDeps, asked: VisitorRequest): Promise<PageAnswer> {
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
export async function redeemAsAsked(deps: PageDeps, asked: VisitorRequest): Promise<PageAnswer> {
  const session = await redeemLink(deps, asked.id);
  if (!session) return refuseLink(deps, asked);
  await endSession(deps, asked.cookies);
  return { location: `${AREA_PATH}/sandbox`, cookies: [setCookie("session", session, deps.origin())] };
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
          <p>It was used before, it is older than {LINK_MINUTES} minutes, or it is not complete.</p>
          <HowToGetALink />
        </>
      ),
    }
  );
}
