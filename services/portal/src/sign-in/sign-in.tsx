import { fail } from "@shipping/kit/errors";
import { limitedNetworks } from "@shipping/kit/http/network";
import { windowStart } from "@shipping/kit/postgres/clock";
import sql from "sql-template-tag";
import { CLEAR_PATH } from "../page/layout.js";
import { AREA_PATH, type HtmlPage, type PageAnswer, type PageDeps, type VisitorRequest } from "../page/page.js";
import { refusalPage } from "../page/refusal-page.js";
import { titledPage } from "../page/text.js";
import { endSessions, toSessionId } from "../session/member-sessions.js";
import { isAllowedReturnTo } from "../session/provider.js";
import { FRESH_MINUTES, setCookie, WINDOW_MINUTES } from "../session/session.js";
import { LinkForm } from "./request-link.js";

const PROVIDER_PATH = `${AREA_PATH}/sign-in/provider`;
/** Refused attempts of an IP address, or of a /64 of IPv6 addresses, in a window; of a /48, twice as many. */
const MAX_REFUSALS = 100;

export async function showEntrance(deps: PageDeps, { session }: VisitorRequest): Promise<PageAnswer> {
  return session ? { location: `${AREA_PATH}/sandbox` } : showSignedOut(deps);
}

/** The sign-in page. Its image clears the browser's cache of earlier pages, even without scripts. */
export function showSignedOut(deps: Pick<PageDeps, "provider" | "canMail">): HtmlPage {
  return {
    status: 401,
    title: "Sign in",
    body: (
      <>
        <h1>Developer area</h1>
        <p>Sign in to see the shipments, requests, API keys and webhooks of your account.</p>
        <SignInOptions deps={deps} />
        <img src={CLEAR_PATH} alt="" width="1" height="1" />
      </>
    ),
  };
}

export function showSignInAgain(
  deps: Pick<PageDeps, "provider" | "canMail">,
  { url, email }: Pick<VisitorRequest, "url"> & { email: string },
): HtmlPage {
  // After a POST, the query belongs to the form, not to its page.
  const returnTo = url.replace(/\?.*/, "");
  const body = (
    <>
      <p>
        To change the live environment or the members of an account, you must have signed in within the last{" "}
        {FRESH_MINUTES} minutes.
      </p>
      <SignInOptions
        deps={deps}
        provider={{ path: `${PROVIDER_PATH}?return_to=${encodeURIComponent(returnTo)}`, words: "Sign in again" }}
        email={email}
        returnTo={isAllowedReturnTo(returnTo) ? returnTo : undefined}
      />
    </>
  );
  return titledPage("Sign in again", body, 403);
}

/** Sign-in through the provider, by email, or both; if there is neither, with a link from the operator. */
export function SignInOptions(props: {
  deps: Pick<PageDeps, "provider" | "canMail">;
  provider?: { path: string; words: string };
  email?: string;
  returnTo?: string | undefined;
}) {
  const { deps, provider = { path: PROVIDER_PATH, words: "Sign in" }, ...form } = props;
  return (
    <>
      {deps.provider && (
        <p>
          <a class="button" href={provider.path}>
            {provider.words}
          </a>
        </p>
      )}
      {(!deps.provider || deps.canMail) && <LinkForm deps={deps} {...form} />}
    </>
  );
}

export async function signOut(deps: PageDeps, { session, source }: VisitorRequest): Promise<PageAnswer> {
  if (session) await endSessions(deps, session, { name: session.email, source }, toSessionId(session.hash));
  return { location: AREA_PATH, done: "signed-out", cookies: [setCookie("session", undefined, deps.origin())] };
}

/**
 * Counts a refused attempt to sign in. From the 101st of an IP address in a window on, returns the page to send instead. Successful attempts are
 * not counted, so other people behind the same IP address are not locked out. Requests that another site's page made the browser send are not
 * counted either.
 */
export async function limitRefusals(
  deps: Pick<PageDeps, "db" | "clockOffsetMs">,
  { source, openedByPerson }: Pick<VisitorRequest, "source" | "openedByPerson">,
): Promise<HtmlPage | undefined> {
  if (!openedByPerson) return undefined;
  const counted = limitedNetworks(source, MAX_REFUSALS).map(({ network, most }) =>
    deps.db.run(sql`
      INSERT INTO sign_in_refusals AS r (source, since, count) VALUES (${network}, ${windowStart(deps, WINDOW_MINUTES)}, 1)
      ON CONFLICT (source, since) DO UPDATE SET count = r.count + 1 WHERE r.count < ${most}
      RETURNING count`),
  );
  if ((await Promise.all(counted)).every((rows) => rows.length > 0)) return undefined;
  const why = `Too many sign-in attempts from your IP address. Try again in ${WINDOW_MINUTES} minutes.`;
  return refusalPage(fail("rate_limited", why));
}
