import { databaseNow } from "@shipping/kit/postgres/clock";
import type { ComponentChildren } from "preact";
import sql, { type Sql } from "sql-template-tag";
import { INVITATION_DAYS } from "../members/invite-members.js";
import { hashToken, LINK_MINUTES, newToken } from "../members/manage-members.js";
import { Form, HiddenField, TextField } from "../page/form.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type VisitorRequest } from "../page/page.js";
import { readField } from "../page/read-form.js";
import { Name, titledPage } from "../page/text.js";
import { isAllowedReturnTo } from "../session/provider.js";
import { endSession, type SignInOrigin, setCookie, writeSession } from "../session/session.js";
import { limitRefusals, SignInOptions } from "./sign-in.js";

/** Where sign-in links lead, with their token in the fragment. */
const LINK_PATH = `${AREA_PATH}/sign-in/link`;

/** The form that passes on a link: a URL of this platform. */
export const linkFields = { link: { maxLength: 500 } };

/** `GET /developers/sign-in/link`: the script submits the form with the token of the fragment. */
export async function showLink(): Promise<PageAnswer> {
  return titledPage("Sign in", <PassLinkForm action={LINK_PATH} />);
}

/** The form that passes on the token of a link. Without a script, people paste the link. */
export function PassLinkForm({ action }: { action: string }) {
  return (
    <Form fields={linkFields} method="post" action={action} data-link>
      <TextField
        name="link"
        label="Link"
        hint="Paste the whole link that you received."
        autocomplete="off"
        spellcheck={false}
      />
      <button type="submit">Continue</button>
    </Form>
  );
}

/** The button that confirms what a link is for. */
export function ConfirmLinkForm({ path, token, words }: { path: string; token: string; words: string }) {
  return (
    <Form fields={linkFields} method="post" action={`${path}/confirm`}>
      <HiddenField name="link" value={token} />
      <button type="submit">{words}</button>
    </Form>
  );
}

/** The token of a link that was passed on: its fragment, or all that was submitted, which is the fragment alone. */
export function readToken({ form }: Pick<VisitorRequest, "form">): string {
  const link = readField(form, "link").trim();
  return link.slice(link.lastIndexOf("#") + 1);
}

/** `POST /developers/sign-in/link`: asks for confirmation, because email scanners open every link, and some run its scripts. */
export async function confirmSignIn(deps: PageDeps, request: VisitorRequest): Promise<PageAnswer> {
  const token = readToken(request);
  const link = await peekLink(deps, token);
  if (!link) return refuseLink(deps, request);
  const body = (
    <>
      <p>
        Sign in as <Name>{link.email}</Name> to the developer area of <Name>{link.accountName}</Name>. The link works
        once.
      </p>
      <ConfirmLinkForm path={LINK_PATH} token={token} words="Sign in" />
    </>
  );
  return { ...titledPage("Sign in", body), secret: true };
}

export async function submitSignIn(deps: PageDeps, request: VisitorRequest): Promise<PageAnswer> {
  const redeemed = await redeemLink(deps, readToken(request), request);
  if (!redeemed) return refuseLink(deps, request);
  await endSession(deps, request.cookies);
  const { token, returnTo } = redeemed;
  const location = returnTo !== null && isAllowedReturnTo(returnTo) ? returnTo : `${AREA_PATH}/sandbox`;
  return { location, cookies: [setCookie("session", token, deps.origin())] };
}

// The same answer for links that never existed, were used, or have expired.
function refuseLink(deps: PageDeps, request: VisitorRequest): Promise<PageAnswer> {
  const why = (
    <>
      <p>
        It was already used, replaced by a newer link, or copied incompletely, or it has expired. Sign-in links expire
        after {LINK_MINUTES} minutes, invitations after {INVITATION_DAYS} days or once you have signed in in another
        way.
      </p>
      <SignInOptions deps={deps} />
    </>
  );
  return refuseToken(deps, request, "This link does not work", why);
}

/** 404 for a link's token, or 429 after too many of them. */
export async function refuseToken(
  deps: PageDeps,
  request: VisitorRequest,
  title: string,
  why: ComponentChildren,
): Promise<PageAnswer> {
  return (await limitRefusals(deps, request)) ?? titledPage(title, why, 404);
}

type Deps = Pick<PageDeps, "db" | "clockOffsetMs" | "random">;

/** The SQL condition that link `l` of member `m` works. Invitations stop working once the member has signed in in any way. */
function isValid(deps: Deps, token: string): Sql {
  return sql`l.hash = ${hashToken(token)} AND l.expires_at > ${databaseNow(deps)}
    AND (NOT l.invitation OR m.invited_at IS NOT NULL)`;
}

export async function peekLink(deps: Deps, token: string) {
  const [link] = await deps.db.run<{ email: string; accountName: string }>(sql`
    SELECT m.email, a.name AS "accountName"
    FROM sign_in_links l
    JOIN account_members m ON m.id = l.member_id
    JOIN accounts a ON a.id = m.account_id
    WHERE ${isValid(deps, token)}`);
  return link;
}

/** Exchanges a link for a session, and returns its token. It is one statement, so that only one of concurrent requests succeeds. */
export async function redeemLink(deps: Deps, linkToken: string, from: SignInOrigin) {
  const { token, hash } = newToken(deps);
  const [spent] = await deps.db.run<{ returnTo: string | null }>(sql`
    WITH signed_in AS (
      DELETE FROM sign_in_links l USING account_members m WHERE m.id = l.member_id AND ${isValid(deps, linkToken)}
      RETURNING l.member_id, l.return_to, l.emailed, m.account_id, m.email),
    ${writeSession(deps, { hash, provenAt: databaseNow(deps), proof: sql`CASE WHEN emailed THEN 'mailbox' END`, way: "by a link", from })}
    SELECT return_to AS "returnTo" FROM signed_in`);
  return spent && { token, returnTo: spent.returnTo };
}
