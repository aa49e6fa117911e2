import { fail } from "@shipping/kit/errors";
import sql from "sql-template-tag";
import { AREA_PATH, type PageAnswer, type PageDeps, type VisitorRequest } from "../page/page.js";
import { forbidden } from "../page/refusal-page.js";
import { endSession } from "../session/keep-session.js";
import {
  authorizationRequestFrom,
  type Identity,
  isAllowedReturnTo,
  isRecent,
  newAuthorizationRequest,
  type Provider,
} from "../session/provider.js";
import { cookieIn, setCookie } from "../session/session.js";
import { limitRefusals } from "./limit-sign-in.js";
import { startSession } from "./start-session.js";

/** `GET /developers/sign-in/provider`: redirects to the provider. `return_to` names the page that requires a new sign-in. */
export async function beginProviderSignIn(deps: PageDeps, { query }: VisitorRequest): Promise<PageAnswer> {
  const provider = providerOf(deps);
  const wanted = query.get("return_to");
  const authorization = newAuthorizationRequest(deps.random, {
    returnTo: wanted !== null && isAllowedReturnTo(wanted) ? wanted : `${AREA_PATH}/sandbox`,
    again: wanted !== null,
  });
  const url = await provider.begin(authorization).catch((err) => {
    deps.log.warn({ err }, "the sign-in provider does not respond");
    throw fail("service_unavailable", "The sign-in provider is not responding. Try again in a minute.");
  });
  const value = Buffer.from(JSON.stringify(authorization)).toString("base64url");
  return { location: url.href, cookies: [setCookie("sign-in", value, deps.origin())] };
}

/** `GET /developers/sign-in/callback`: the provider's redirect back. */
export async function completeProviderSignIn(deps: PageDeps, asked: VisitorRequest): Promise<PageAnswer> {
  const provider = providerOf(deps);
  const { cookies, url } = asked;
  const authorization = authorizationRequestFrom(cookieIn(cookies, "sign-in", deps.origin()));
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
  const memberId = await findMember(deps, identity);
  // The same words for an unknown person and an unverified email, so that nobody can find out who is a member.
  if (!memberId) return refuse(deps, asked, spent, "This identity is not a member of any account here.");
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

/** The member bound to an identity. A member without one is found by the verified email, and bound now. */
async function findMember(deps: PageDeps, { issuer, subject, email }: Identity): Promise<string | undefined> {
  const [bound] = await deps.db.run<{ id: string }>(sql`
    SELECT id FROM account_members WHERE issuer = ${issuer} AND subject = ${subject} ORDER BY created_at, id LIMIT 1`);
  if (bound || email === undefined) return bound?.id;
  const [member] = await deps.db.run<{ id: string }>(sql`
    UPDATE account_members SET issuer = ${issuer}, subject = ${subject}
    WHERE email = ${email.toLowerCase()} AND subject IS NULL
    RETURNING id`);
  return member?.id;
}
