import { fail } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import sql from "sql-template-tag";
import { Outage } from "../../service-clients/outage.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type VisitorRequest } from "../page/page.js";
import { forbidden } from "../page/refusal-page.js";
import {
  authorizationRequestFrom,
  type Identity,
  isAllowedReturnTo,
  isRecent,
  newAuthorizationRequest,
  type Provider,
} from "../session/provider.js";
import { endSession, readCookie, type SignedIn, setCookie, startSession } from "../session/session.js";
import { limitRefusals } from "./sign-in.js";

type Visit = VisitorRequest & { session: SignedIn | undefined };

/**
 * `GET /developers/sign-in/provider`: redirects to the provider. `return_to` names the page that requires a new sign-in, `account` the account
 * to change to.
 */
export async function beginProviderSignIn(deps: PageDeps, asked: Visit): Promise<PageAnswer> {
  const { query, session, deliberate } = asked;
  const provider = providerOf(deps);
  const wanted = query.get("return_to");
  const account = query.get("account") ?? "";
  // A person who was signed out may end up in another account than the one whose page they saw, so they get the overview instead of that page.
  const again = wanted !== null && session !== undefined;
  const authorization = newAuthorizationRequest(deps.random, {
    returnTo: again && isAllowedReturnTo(wanted) ? wanted : `${AREA_PATH}/sandbox`,
    again,
    // Another site's link must not change the account without the person's knowing.
    accountId: deliberate && isId("acc", account) ? account : undefined,
  });
  const url = await provider.begin(authorization).catch((err) => {
    deps.log.warn({ err }, "the sign-in provider does not respond");
    throw new Outage("sign_in_provider", { message: "The sign-in provider is not responding. Try again in a minute." });
  });
  const value = Buffer.from(JSON.stringify(authorization)).toString("base64url");
  return { location: url.href, cookies: [setCookie("sign-in", value, deps.origin())] };
}

/** `GET /developers/sign-in/callback`: the provider's redirect back. */
export async function completeProviderSignIn(deps: PageDeps, asked: Visit): Promise<PageAnswer> {
  const provider = providerOf(deps);
  const { cookies, url, session: current } = asked;
  const authorization = authorizationRequestFrom(readCookie(cookies, "sign-in", deps.origin()));
  const identity = authorization && (await provider.complete(authorization, new URL(url, deps.origin())));
  // Used up whatever the outcome: an answer of the provider is not accepted twice.
  const spent = setCookie("sign-in", undefined, deps.origin());
  if (!identity) return refuse(deps, asked, spent, "The sign-in was not completed. Please start again.");
  if (authorization.again && !isRecent(identity, deps.now())) {
    return refuse(
      deps,
      asked,
      spent,
      "This page requires a recent sign-in, but the provider did not ask you to sign in again.",
    );
  }
  const { memberId, accountId } = (await findMember(deps, identity, { ...authorization, current })) ?? {};
  // The same words for an unknown person and an unverified email, so that nobody can find out who is a member.
  if (!memberId) return refuse(deps, asked, spent, "This identity is not a member of any account here.");
  if (authorization.again && memberId !== current?.memberId) {
    return refuse(deps, asked, spent, current ? notThem(deps, current) : SIGNED_OUT);
  }
  if (authorization.accountId !== undefined && authorization.accountId !== accountId) {
    return refuse(
      deps,
      asked,
      spent,
      "At the provider, you signed in as somebody who is not a member of that account.",
    );
  }
  await endSession(deps, cookies);
  const session = await startSession(deps, memberId, identity);
  return { location: authorization.returnTo, cookies: [spent, setCookie("session", session, deps.origin())] };
}

function providerOf({ provider }: PageDeps): Provider {
  if (!provider) throw fail("not_found");
  return provider;
}

async function refuse(deps: PageDeps, asked: VisitorRequest, spent: string, why: string): Promise<PageAnswer> {
  const limited = await limitRefusals(deps, asked);
  return { ...(limited ?? forbidden(why)), cookies: [spent] };
}

const SIGNED_OUT = "You were signed out before you came back from the provider. Please start again.";

function notThem({ mailer }: PageDeps, { email }: SignedIn): string {
  const ways = mailer.canSend ? "with that address, or request a link by email" : "with that address";
  return `You are still signed in here as ${email}, but at the provider you signed in as somebody else. Sign in there ${ways}.`;
}

/**
 * The member that an identity signs in as: that of the wanted account, or the current one, or else the oldest of those who have come to their account.
 * Members with the verified email whom no identity has are bound to it first, one in each account.
 */
async function findMember(
  deps: PageDeps,
  { issuer, subject, email }: Identity,
  { accountId, current }: { accountId?: string | undefined; current: SignedIn | undefined },
): Promise<{ memberId: string; accountId: string } | undefined> {
  if (email !== undefined) {
    await deps.db.run(sql`
      UPDATE account_members m SET issuer = ${issuer}, subject = ${subject}
      WHERE email = ${email.toLowerCase()} AND subject IS NULL AND NOT EXISTS (
        SELECT FROM account_members WHERE account_id = m.account_id AND issuer = ${issuer} AND subject = ${subject})`);
  }
  const [member] = await deps.db.run<{ memberId: string; accountId: string }>(sql`
    SELECT id AS "memberId", account_id AS "accountId" FROM account_members WHERE issuer = ${issuer} AND subject = ${subject}
    ORDER BY account_id = ${accountId ?? ""} DESC, id = ${current?.memberId ?? ""} DESC, invited_at IS NOT NULL, created_at, id LIMIT 1`);
  return member;
}
