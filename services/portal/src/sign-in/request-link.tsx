import { type FieldError, fail } from "@shipping/kit/errors";
import { z } from "zod";
import { EMAIL_FIELD, emailAddress } from "../mail/address.js";
import { LINK_MINUTES } from "../members/manage-members.js";
import { Form, FormErrors, HiddenField, TextField } from "../page/form.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type VisitorRequest } from "../page/page.js";
import { checkForm, readField } from "../page/read-form.js";
import { refusalPage } from "../page/refusal-page.js";
import { Code, titledPage } from "../page/text.js";
import { isAllowedReturnTo, RETURN_TO_FIELD } from "../session/provider.js";
import { WINDOW_MINUTES } from "../session/session.js";
import { keepRequest, MAX_MAILS_PER_ADDRESS, MAX_MAILS_PER_DAY } from "./link-mail.js";

const PATH = `${AREA_PATH}/sign-in`;

export const requestLinkFields = { email: EMAIL_FIELD, return_to: RETURN_TO_FIELD };
const linkForm = z.object({
  email: emailAddress,
  return_to: z.string().refine(isAllowedReturnTo, "is not a page of the developer area").optional(),
});

export async function showLinkForm(deps: PageDeps): Promise<PageAnswer> {
  return linkPage(deps, 200, "", []);
}

/** Answer and response time do not reveal whether the email address belongs to a member: that is looked up in the background. */
export async function requestLink(deps: PageDeps, { form, session, source }: VisitorRequest): Promise<PageAnswer> {
  if (!deps.canMail) throw fail("service_unavailable", "Email is not set up here.");
  const { value, errors } = checkForm(linkForm, form, requestLinkFields);
  if (!value) return linkPage(deps, 422, readField(form, "email"), errors);
  const { email, return_to: returnTo } = value;
  const memberId = session?.email === email ? session.memberId : undefined;
  const kept = await keepRequest(deps, { email, memberId, returnTo, source });
  if (kept === "limited") {
    const why = `Too many sign-in links were requested from your IP address. Try again in ${WINDOW_MINUTES} minutes. Links that you already received still work.`;
    return refusalPage(fail("rate_limited", why));
  }
  if (kept === "full")
    throw fail("service_unavailable", "Too many emails are waiting to be sent. Try again in a few minutes.");
  return titledPage(
    "Check your email",
    <>
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
  const body = (
    <>
      <FormErrors errors={errors} fields={{ email: "Email address" }} />
      <LinkForm deps={deps} email={email} errors={errors} />
    </>
  );
  return titledPage("Sign in", body, status);
}

/** The form that requests a link by email; without email, how to get a link from the operator. */
export function LinkForm(props: {
  deps: Pick<PageDeps, "canMail">;
  /** The email address, if the page knows it. */
  email?: string;
  returnTo?: string | undefined;
  errors?: readonly FieldError[];
}) {
  const { deps, email = "", returnTo, errors = [] } = props;
  if (!deps.canMail) {
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
    <Form fields={requestLinkFields} errors={errors} method="post" action={PATH}>
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
      />
      <button type="submit">Email me a link</button>
    </Form>
  );
}
