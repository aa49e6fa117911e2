import { fail } from "@shipping/kit/errors";
import sql from "sql-template-tag";
import { windowStart } from "../../database/deps.js";
import { CLEAR_PATH } from "../page/assets.js";
import { AREA_PATH, type HtmlPage, type PageAnswer, type PageDeps, type VisitorRequest } from "../page/page.js";
import { refusalPage } from "../page/refusal-page.js";
import { isAllowedReturnTo } from "../session/provider.js";
import { endSession, FRESH_MINUTES, type SignedIn, setCookie, WINDOW_MINUTES } from "../session/session.js";
import { LinkByMail } from "./request-link.js";

export const PROVIDER_PATH = `${AREA_PATH}/sign-in/provider`;

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
export function WaysIn(props: {
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

/** `POST /developers/sign-out`. */
export async function signOut(deps: PageDeps, { cookies }: VisitorRequest): Promise<PageAnswer> {
  await endSession(deps, cookies);
  return { location: AREA_PATH, cookies: [setCookie("session", undefined, deps.origin())] };
}

type Deps = Pick<PageDeps, "db" | "clockOffsetMs">;

const MAX_REFUSALS = 100;

/**
 * Counts a refused attempt to sign in. From the hundred-and-first of an address and window on, returns the answer to send
 * instead. A valid sign-in is never counted, so nobody is locked out by others behind the same address; and a request that
 * another site's page makes a browser send does not count.
 */
export async function limitRefusals(
  deps: Deps,
  { source, deliberate }: Pick<VisitorRequest, "source" | "deliberate">,
): Promise<HtmlPage | undefined> {
  if (!deliberate) return undefined;
  const counted = await deps.db.run(sql`
    INSERT INTO sign_in_refusals AS r (source, since, count) VALUES (${source}, ${windowStart(deps, WINDOW_MINUTES)}, 1)
    ON CONFLICT (source, since) DO UPDATE SET count = r.count + 1 WHERE r.count < ${MAX_REFUSALS}
    RETURNING count`);
  if (counted.length > 0) return undefined;
  const why = `Too many sign-in attempts from your IP address. Try again in ${WINDOW_MINUTES} minutes.`;
  return refusalPage(fail("rate_limited", why));
}
