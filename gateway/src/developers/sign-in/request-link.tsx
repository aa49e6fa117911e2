import { createHash } from "node:crypto";
import { type FieldError, fail, failureIn } from "@shipping/kit/errors";
import sql from "sql-template-tag";
import { z } from "zod";
import { countMail } from "../../accounts/count-mails.js";
import { LINK_MINUTES, newLink, normalizeEmail } from "../../accounts/manage-members.js";
import { clock } from "../../database/deps.js";
import type { Mail } from "../../mail/deliver.js";
import { toMail } from "../../mail/letter.js";
import { SITE_NAME } from "../../site/site-header.js";
import { Fault, Field, FormFaults, faultAttributes } from "../page/form.js";
import { AREA_PATH, type HtmlPage, type PageAnswer, type PageDeps, shown, type VisitorRequest } from "../page/page.js";
import { checkForm } from "../page/read-form.js";
import { refusalPage } from "../page/refusal-page.js";
import { Code } from "../page/text.js";
import { isAllowedReturnTo } from "../session/provider.js";
import { type SignedIn, WINDOW_MINUTES } from "../session/session.js";

const PATH = `${AREA_PATH}/sign-in`;
/** From one network address in a window: an office asks less, a program that tries addresses more. */
const ASKED_PER_SOURCE = 60;

const linkForm = z.object({
  email: z.string("is required").transform((text, context) => {
    try {
      return normalizeEmail(text);
    } catch (error) {
      if (!failureIn(error)) throw error;
      context.addIssue({ code: "custom", message: "must be one email address" });
      return z.NEVER;
    }
  }),
  return_to: z.string().refine(isAllowedReturnTo, "is not a page of the developer area").optional(),
});

/** How to sign in without the provider: with a link by email, or from the operator. `email` is the address, if the page knows it. */
export function LinkByMail(props: {
  deps: Pick<PageDeps, "mailer">;
  email?: string;
  returnTo?: string | undefined;
  faults?: readonly FieldError[];
}) {
  const { deps, email = "", returnTo, faults = [] } = props;
  if (!deps.mailer.canSend) return <LinkByOperator />;
  return (
    <form method="post" action={PATH}>
      {returnTo !== undefined && <input type="hidden" name="return_to" value={returnTo} />}
      <Field
        id="email"
        label="Email address"
        hint={`We email you a sign-in link. It works once and expires after ${LINK_MINUTES} minutes.`}
      >
        <input
          type="text"
          inputMode="email"
          id="email"
          name="email"
          value={email}
          maxLength={200}
          required
          autocomplete="email"
          autocapitalize="none"
          spellcheck={false}
          {...faultAttributes("email", faults, "email")}
        />
        <Fault id="email" faults={faults} path="email" />
      </Field>
      <button type="submit">Email me a link</button>
    </form>
  );
}

function LinkByOperator() {
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

/** `GET /developers/sign-in`. */
export async function showLinkForm(deps: PageDeps): Promise<PageAnswer> {
  return formPage(deps, 200, "", []);
}

/** `POST /developers/sign-in`: the same answer in the same time, whoever is a member; the rest is done in the background. */
export async function askForLink(
  deps: PageDeps,
  asked: VisitorRequest & { session: SignedIn | undefined },
): Promise<PageAnswer> {
  const { form, session, source } = asked;
  if (!deps.mailer.canSend) throw fail("service_unavailable", "Email is not set up here.");
  const { value, faults } = checkForm(linkForm, form);
  if (!value) return formPage(deps, 422, form.get("email")?.[0] ?? "", faults);
  const limit = { name: `source:${source}`, most: ASKED_PER_SOURCE, minutes: WINDOW_MINUTES };
  if (!(await countMail(deps, limit))) {
    const why = `Too many sign-in links were requested from your IP address. Try again in ${WINDOW_MINUTES} minutes. Links that you already received still work.`;
    return refusalPage(fail("rate_limited", why));
  }
  const { email, return_to: returnTo } = value;
  const memberId = session?.email === email ? session.memberId : undefined;
  void deps.mailer.sendUnseen(() => writeLinkMail(deps, { email, memberId, returnTo }));
  return shown(
    "Check your email",
    <>
      <h1>Check your email</h1>
      <p>
        If this address belongs to a member, we have sent a sign-in link. It works once and expires after {LINK_MINUTES}{" "}
        minutes.
      </p>
      <p>
        No email after a few minutes? Check your spam folder and the address, or <a href={PATH}>request another link</a>
        . We send up to {MAILS_PER_ADDRESS} links in {WINDOW_MINUTES} minutes. Links that you already received still
        work.
      </p>
    </>,
  );
}

function formPage(deps: PageDeps, status: number, email: string, faults: readonly FieldError[]): HtmlPage {
  return {
    status,
    title: "Sign in",
    body: (
      <>
        <h1>Sign in</h1>
        <FormFaults faults={faults} fields={["email"]} />
        <LinkByMail deps={deps} email={email} faults={faults} />
      </>
    ),
  };
}

/** Mails of links to one address in a window. Shorter than the life of a link, it ends while the last one still signs in. */
const MAILS_PER_ADDRESS = 5;
/** The most accounts in one email: those whose names come first. */
const MAX_LINKS = 50;

/** Who asked for a link. */
interface WantedLink {
  /** As it is kept: in lower case. */
  email: string;
  /** Only for this member, who is already signed in. */
  memberId?: string | undefined;
  /** The page of the area that the link leads to. */
  returnTo?: string | undefined;
}

type Deps = Pick<PageDeps, "db" | "clockOffsetMs" | "random" | "origin">;

/** Writes the mail with a link for each account that somebody is a member of; none to a stranger, or to somebody who has had several. */
async function writeLinkMail(deps: Deps, wanted: WantedLink): Promise<Mail | undefined> {
  const { email, memberId, returnTo } = wanted;
  const members = await deps.db.run<{ id: string; accountName: string }>(sql`
    SELECT m.id, a.name AS "accountName" FROM account_members m JOIN accounts a ON a.id = m.account_id
    WHERE m.email = ${email} AND (${memberId ?? null}::text IS NULL OR m.id = ${memberId ?? null})
    ORDER BY a.name, a.id LIMIT ${MAX_LINKS}`);
  if (members.length === 0) return undefined;
  // Kept without the address itself.
  const name = `address:${createHash("sha256").update(email).digest("hex")}`;
  if (!(await countMail(deps, { name, most: MAILS_PER_ADDRESS, minutes: WINDOW_MINUTES }))) return undefined;
  const links = members.map(({ id, accountName }) => ({ id, accountName, ...newLink(deps, deps.origin()) }));
  await deps.db.run(sql`
    INSERT INTO sign_in_links (hash, member_id, expires_at, return_to)
    SELECT hash, m.id, ${clock(deps)} + ${LINK_MINUTES} * interval '1 minute', ${returnTo ?? null}
    FROM unnest(${links.map(({ hash }) => Buffer.from(hash))}::bytea[], ${links.map(({ id }) => id)}::text[]) AS made (hash, member_id)
    JOIN account_members m ON m.id = made.member_id`);
  return toMail(email, {
    subject: `Sign in to ${SITE_NAME}`,
    before: ["You requested a link to sign in to the developer area."],
    links: links.map(({ accountName, url }) => ({ words: `Sign in to ${accountName}`, url })),
    after: [
      `${links.length > 1 ? "Each link" : "The link"} works once and expires after ${LINK_MINUTES} minutes.`,
      "If you did not request this, ignore this email. Nobody can sign in without the link.",
    ],
  });
}
