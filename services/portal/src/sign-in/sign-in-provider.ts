import { ID_FIELD } from "@shipping/api/input/fields";
import { fail } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import { Outage } from "@shipping/kit/rpc/outage";
import sql from "sql-template-tag";
import { writeAuditEntry } from "../audit/audit.js";
import { canonicalAddress } from "../mail/address.js";
import { countSource } from "../members/count-mails.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type VisitorRequest } from "../page/page.js";
import { forbidden, refusalPage } from "../page/refusal-page.js";
import {
  type Identity,
  isAllowedReturnTo,
  isRecent,
  newAuthorizationRequest,
  type Provider,
  RETURN_TO_FIELD,
  readAuthorizationRequest,
} from "../session/provider.js";
import { endSession, readCookie, type SignedIn, setCookie, startSession, WINDOW_MINUTES } from "../session/session.js";
import { limitRefusals } from "./sign-in.js";

/** Callbacks of one IP address, or a /64, in a window: enough for a large office, and a small load for the provider. */
const MAX_CALLBACKS = 300;

export const providerQuery = { return_to: RETURN_TO_FIELD, account: ID_FIELD };
/** The parameters of a provider's redirect, by OpenID Connect and RFC 9207. A code can be an encrypted token. */
export const callbackQuery = {
  code: { maxLength: 4_096 },
  state: { maxLength: 43 },
  iss: { maxLength: 500 },
  session_state: { maxLength: 500 },
  scope: { maxLength: 500 },
  error: { maxLength: 100 },
  error_description: { maxLength: 2_000 },
  error_uri: { maxLength: 500 },
};

/**
 * `GET /developers/sign-in/provider`: redirects to the provider. `return_to` is the page that requires a recent sign-in, `account` the
 * account to switch to.
 */
export async function beginProviderSignIn(deps: PageDeps, request: VisitorRequest): Promise<PageAnswer> {
  const { query, session, openedByPerson } = request;
  const provider = requireProvider(deps);
  const wanted = query.get("return_to");
  const account = query.get("account") ?? "";
  // Without a session, the person may end up in another account than the one whose page they saw, so they get the overview.
  const again = wanted !== null && session !== undefined;
  const authorization = newAuthorizationRequest(deps.random, {
    returnTo: again && isAllowedReturnTo(wanted) ? wanted : `${AREA_PATH}/sandbox`,
    again,
    // A link on another site must not switch accounts unnoticed.
    accountId: openedByPerson && isId("acc", account) ? account : undefined,
  });
  const url = await provider.begin(authorization).catch((err) => {
    deps.log.warn({ err }, "the sign-in provider does not respond");
    throw new Outage("sign_in_provider", { message: "The sign-in provider is not responding. Try again in a minute." });
  });
  const value = Buffer.from(JSON.stringify(authorization)).toString("base64url");
  return { location: url.href, cookies: [setCookie("sign-in", value, deps.origin())] };
}

/** `GET /developers/sign-in/callback`: the provider redirects here. */
export async function completeProviderSignIn(deps: PageDeps, request: VisitorRequest): Promise<PageAnswer> {
  const provider = requireProvider(deps);
  const { cookies, url, session: current } = request;
  const authorization = readAuthorizationRequest(readCookie(cookies, "sign-in", deps.origin()));
  // Each callback causes a request to the provider, whether or not the code is valid.
  const limit = { kind: "provider:", most: MAX_CALLBACKS, minutes: WINDOW_MINUTES } as const;
  if (authorization && !(await countSource(deps, request.source, limit))) {
    const why = `Too many sign-ins through the provider from your IP address. Try again in ${WINDOW_MINUTES} minutes.`;
    return refusalPage(fail("rate_limited", why));
  }
  const identity = authorization && (await provider.complete(authorization, new URL(url, deps.origin())));
  // The cookie is removed in any case, because an answer of the provider is accepted once.
  const removal = setCookie("sign-in", undefined, deps.origin());
  const refuse = async (why: string): Promise<PageAnswer> => {
    const limited = await limitRefusals(deps, request);
    return { ...(limited ?? forbidden(why)), cookies: [removal] };
  };

  if (!identity) return refuse("The sign-in was not completed. Please start again.");
  const { again, returnTo, accountId: wantedAccountId } = authorization;
  if (again && !isRecent(identity, deps.now())) {
    return refuse("This page requires a recent sign-in, but the provider did not ask you to sign in again.");
  }
  const member = await findMember(deps, identity, { accountId: wantedAccountId, current, source: request.source });
  // A stranger and an unverified email get the same message, so that it does not reveal who is a member.
  if (!member) return refuse("This identity is not a member of any account here.");
  if (again && !current)
    return refuse("You were signed out before you came back from the provider. Please start again.");
  if (again && member.memberId !== current?.memberId) {
    const ways = deps.canMail ? "with that address, or request a link by email" : "with that address";
    return refuse(
      `You are still signed in here as ${current?.email}, but at the provider you signed in as somebody else. Sign in there ${ways}.`,
    );
  }
  if (wantedAccountId !== undefined && wantedAccountId !== member.accountId) {
    return refuse("At the provider, you signed in as somebody who is not a member of that account.");
  }

  await endSession(deps, cookies);
  const token = await startSession(deps, member.memberId, identity, request);
  return { location: returnTo, cookies: [removal, setCookie("session", token, deps.origin())] };
}

function requireProvider({ provider }: PageDeps): Provider {
  if (!provider) throw fail("not_found");
  return provider;
}

/**
 * Finds the member that an identity signs in as: in the wanted account, or else the current member, or else the oldest one who has signed in
 * before. First, members with the verified email and without an identity are linked to this one.
 */
async function findMember(
  deps: PageDeps,
  { issuer, subject, email }: Identity,
  wanted: { accountId: string | undefined; current: SignedIn | undefined; source: string },
): Promise<{ memberId: string; accountId: string } | undefined> {
  const { accountId, current, source } = wanted;
  const address = email && canonicalAddress(email);
  while (address && (await linkMember(deps, { issuer, subject, address, source }))) {}
  const [member] = await deps.db.run<{ memberId: string; accountId: string }>(sql`
    SELECT id AS "memberId", account_id AS "accountId" FROM account_members WHERE issuer = ${issuer} AND subject = ${subject}
    ORDER BY account_id = ${accountId ?? ""} DESC, id = ${current?.memberId ?? ""} DESC, invited_at IS NOT NULL, created_at, id LIMIT 1`);
  return member;
}

/** Links one member with the address, in an account in which no member has this identity. False if there is no such member. */
async function linkMember(
  deps: PageDeps,
  { issuer, subject, address, source }: Pick<Identity, "issuer" | "subject"> & { address: string; source: string },
): Promise<boolean> {
  const member = { accountId: sql`account_id`, subject: sql`id`, environment: null, detail: address };
  const entry = { ...member, action: "member.linked_to_provider", from: sql`linked` } as const;
  const linked = await deps.db.run(sql`
    WITH linked AS (
      UPDATE account_members SET issuer = ${issuer}, subject = ${subject}
      WHERE subject IS NULL AND id = (
        SELECT id FROM account_members m WHERE email = ${address} AND subject IS NULL AND NOT EXISTS (
          SELECT FROM account_members WHERE account_id = m.account_id AND issuer = ${issuer} AND subject = ${subject})
        LIMIT 1)
      RETURNING id, account_id),
    entries AS (${writeAuditEntry(deps, { name: address, source }, entry)})
    SELECT FROM linked`);
  return linked.length > 0;
}
