import { type FieldError, fail } from "@shipping/kit/errors";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { SITE_NAME } from "@shipping/site/layout/site-header";
import sql from "sql-template-tag";
import { z } from "zod";
import { EMAIL_FIELD, emailAddress } from "../mail/address.js";
import type { Mail } from "../mail/deliver.js";
import { toMail } from "../mail/letter.js";
import { addressHash, countMail, countSource, DAY_MINUTES } from "../members/count-mails.js";
import { LINK_MINUTES, newLink } from "../members/manage-members.js";
import { Form, FormErrors, HiddenField, TextField } from "../page/form.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type VisitorRequest } from "../page/page.js";
import { checkForm, readField } from "../page/read-form.js";
import { refusalPage } from "../page/refusal-page.js";
import { Code } from "../page/text.js";
import { isAllowedReturnTo, RETURN_TO_FIELD } from "../session/provider.js";
import { WINDOW_MINUTES } from "../session/session.js";

const PATH = `${AREA_PATH}/sign-in`;
/** Requests from one IP address, or a /64, in a window: enough for an office, too few for a program that tries email addresses. */
const MAX_REQUESTS_PER_SOURCE = 60;
/** Emails to one email address in a window. The window is shorter than the life of a link, so one of the links always works. */
const MAX_MAILS_PER_ADDRESS = 5;
/** Anyone can have emails sent to a member. What members request for themselves while signed in is counted separately. */
const MAX_MAILS_PER_DAY = 10;
/** The most accounts in one email, in the order of their names. */
const MAX_LINKS = 50;

export const requestLinkFields = { email: EMAIL_FIELD, return_to: RETURN_TO_FIELD };
const linkForm = z.object({
  email: emailAddress,
  return_to: z.string().refine(isAllowedReturnTo, "is not a page of the developer area").optional(),
});

export async function showLinkForm(deps: PageDeps): Promise<PageAnswer> {
  return linkPage(deps, 200, "", []);
}

/** Answer and response time do not reveal whether the email address belongs to a member: the rest happens in the background. */
export async function requestLink(deps: PageDeps, { form, session, source }: VisitorRequest): Promise<PageAnswer> {
  if (!deps.mailer.canSend) throw fail("service_unavailable", "Email is not set up here.");
  const { value, errors } = checkForm(linkForm, form, requestLinkFields);
  if (!value) return linkPage(deps, 422, readField(form, "email"), errors);
  if (!(await countSource(deps, source, { most: MAX_REQUESTS_PER_SOURCE, minutes: WINDOW_MINUTES }))) {
    const why = `Too many sign-in links were requested from your IP address. Try again in ${WINDOW_MINUTES} minutes. Links that you already received still work.`;
    return refusalPage(fail("rate_limited", why));
  }
  const { email, return_to: returnTo } = value;
  const memberId = session?.email === email ? session.memberId : undefined;
  void deps.mailer.sendUnseen(() => writeLinkMail(deps, { email, memberId, returnTo }));
  return htmlPage(
    "Check your email",
    <>
      <h1>Check your email</h1>
      <p>
        If this address belongs to a member, we have sent a sign-in link. It works once and expires after {LINK_MINUTES}{" "}
        minutes.
      </p>
      <p>
        No email after a few minutes? Check your spam folder and the address, or <a href={PATH}>request another link</a>
        . We send up to {MAX_MAILS_PER_ADDRESS} links in {WINDOW_MINUTES} minutes and {MAX_MAILS_PER_DAY} in a day
        (UTC). Links that you already received still work.
      </p>
    </>,
  );
}

function linkPage(deps: PageDeps, status: number, email: string, errors: readonly FieldError[]): PageAnswer {
  return {
    status,
    title: "Sign in",
    body: (
      <>
        <h1>Sign in</h1>
        <FormErrors errors={errors} fields={["email"]} />
        <LinkForm deps={deps} email={email} errors={errors} />
      </>
    ),
  };
}

/** The form that requests a link by email; without email, how to get a link from the operator. */
export function LinkForm(props: {
  deps: Pick<PageDeps, "mailer">;
  /** The email address, if the page knows it. */
  email?: string;
  returnTo?: string | undefined;
  errors?: readonly FieldError[];
}) {
  const { deps, email = "", returnTo, errors = [] } = props;
  if (!deps.mailer.canSend) {
    return (
      <>
        <p>
          Email is not set up here, so you sign in with a link from the operator. The link works once and expires after{" "}
          {LINK_MINUTES} minutes. The operator creates it with this command:
        </p>
        <Code>npm run -s admin -- sign-in-link --account ACCOUNT --email YOU</Code>
      </>
    );
  }
  return (
    <Form fields={requestLinkFields} method="post" action={PATH}>
      {returnTo !== undefined && <HiddenField name="return_to" value={returnTo} />}
      <TextField
        name="email"
        label="Email address"
        hint={`We email you a sign-in link. It works once and expires after ${LINK_MINUTES} minutes.`}
        inputMode="email"
        value={email}
        autocomplete="email"
        autocapitalize="none"
        spellcheck={false}
        errors={errors}
      />
      <button type="submit">Email me a link</button>
    </Form>
  );
}

interface WantedLink {
  /** Lower case, as it is stored. */
  email: string;
  /** Set if the person is already signed in: only this member gets a link. */
  memberId: string | undefined;
  /** The page that the link leads to. */
  returnTo: string | undefined;
}

/** Writes an email with a link for each account of this email address. Undefined if there is none, or too many emails were sent already. */
async function writeLinkMail(deps: PageDeps, { email, memberId, returnTo }: WantedLink): Promise<Mail | undefined> {
  const members = await deps.db.run<{ id: string; accountName: string }>(sql`
    SELECT m.id, a.name AS "accountName" FROM account_members m JOIN accounts a ON a.id = m.account_id
    WHERE m.email = ${email} AND (${memberId ?? null}::text IS NULL OR m.id = ${memberId ?? null})
    ORDER BY a.name, a.id LIMIT ${MAX_LINKS}`);
  if (members.length === 0) return undefined;
  const name = `${memberId === undefined ? "address" : "own"}:${addressHash(email)}`;
  if (!(await countMail(deps, { name, most: MAX_MAILS_PER_ADDRESS, minutes: WINDOW_MINUTES }))) return undefined;
  const today = await countMail(deps, { name: `day:${name}`, most: MAX_MAILS_PER_DAY, minutes: DAY_MINUTES });
  if (today === 0) return undefined;
  const links = members.map(({ id, accountName }) => ({ id, accountName, ...newLink(deps, deps.origin()) }));
  await deps.db.run(sql`
    INSERT INTO sign_in_links (hash, member_id, expires_at, return_to, emailed)
    SELECT hash, m.id, ${databaseNow(deps)} + ${LINK_MINUTES} * interval '1 minute', ${returnTo ?? null}, true
    FROM unnest(${links.map(({ hash }) => Buffer.from(hash))}::bytea[], ${links.map(({ id }) => id)}::text[]) AS created (hash, member_id)
    JOIN account_members m ON m.id = created.member_id`);
  return toMail(email, {
    subject: `Sign in to ${SITE_NAME}`,
    before: ["You requested a link to sign in to the developer area."],
    links: links.map(({ accountName, url }) => ({ words: `Sign in to ${accountName}`, url })),
    after: [
      `${links.length > 1 ? "Each link" : "The link"} works once and expires after ${LINK_MINUTES} minutes.`,
      "If you did not request this, ignore this email. Nobody can sign in without the link.",
      ...(today === MAX_MAILS_PER_DAY
        ? [
            `This is the last link today: we send this address up to ${MAX_MAILS_PER_DAY} in a day, and more from 00:00 UTC on.`,
          ]
        : []),
    ],
  });
}
