import { ID_FIELD } from "@shipping/api/input/fields";
import { type FieldError, failureIn } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { z } from "zod";
import { EMAIL_FIELD, emailAddress } from "../mail/address.js";
import { INVITATION_DAYS, type Invited, inviteAgain, inviteMember } from "../members/invite-members.js";
import { getMember, ROLES } from "../members/manage-members.js";
import { AccountForm, FormButtons, FormErrors, TextField } from "../page/form.js";
import type { HtmlPage, PageAnswer, PageDeps, PageRequest } from "../page/page.js";
import {
  checkForm,
  confirmationFields,
  type Form,
  formId,
  keepFormId,
  readField,
  submitForm,
} from "../page/read-form.js";
import { Facts } from "../page/table.js";
import { Note, Secret, Text, Time, titledPage } from "../page/text.js";
import { ROLE_FIELD, RoleChoice } from "./change-member.js";
import { MEMBERS_PATH } from "./members.js";

export const inviteFields = { email: EMAIL_FIELD, role: ROLE_FIELD, form_id: ID_FIELD };
const inviteForm = z.object({
  email: emailAddress,
  role: z.enum(ROLES, "must be admin or viewer"),
  form_id: formId,
});
const resendForm = z.object({ form_id: formId });

export async function showInviteForm(deps: PageDeps): Promise<PageAnswer> {
  return invitePage(deps, new Map([["role", ["viewer"]]]), []);
}

/** `POST /developers/members/invite`. If email is not set up, only this answer shows the link. */
export async function submitInviteForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, session, actor } = request;
  return submitForm(form, {
    schema: inviteForm,
    fields: inviteFields,
    list: MEMBERS_PATH,
    show: (errors) => invitePage(deps, form, errors),
    async act({ email, role, form_id: formId }) {
      const wanted = { accountId: session.accountId, email, role, formId, ...invitationRoute(deps) };
      return invitedPage(deps, await inviteMember(deps, wanted, actor));
    },
  });
}

export async function confirmInviteAgain(deps: PageDeps, { session, id }: PageRequest): Promise<PageAnswer> {
  const member = await getMember(deps, { accountId: session.accountId, id });
  if (!member.invitedAt) return { location: MEMBERS_PATH };
  return titledPage(
    "Resend an invitation",
    <>
      <p>
        <Text>{member.email}</Text> has not signed in yet.{" "}
        {deps.canMail ? "We send a new link by email" : "You get a new link to share"}. The previous link stops working.
      </p>
      <AccountForm fields={confirmationFields} formId={newId("form", deps.random)}>
        <FormButtons submit="Resend invitation" cancel={MEMBERS_PATH} />
      </AccountForm>
    </>,
  );
}

export async function submitInviteAgain(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, session, actor, id } = request;
  const { accountId } = session;
  const { invitedAt } = await getMember(deps, { accountId, id });
  const { value } = checkForm(resendForm, form, confirmationFields);
  if (!invitedAt || !value) return { location: MEMBERS_PATH };
  try {
    const wanted = { accountId, id, formId: value.form_id, ...invitationRoute(deps) };
    return invitedPage(deps, await inviteAgain(deps, wanted, actor));
  } catch (error) {
    const code = failureIn(error)?.code;
    // This form was submitted before, or the person has signed in meanwhile. The list shows which.
    if (code === "idempotency_conflict" || code === "invalid_request") return { location: MEMBERS_PATH };
    throw error;
  }
}

const invitationRoute = ({ canMail, origin }: PageDeps) => ({ origin: origin(), isMailed: canMail });

function invitedPage(deps: PageDeps, { email, role, url, expiresAt }: Invited): HtmlPage {
  const title = deps.canMail ? "Invitation sent" : "Share the link";
  const body = (
    <>
      <Note kind="good">
        {url === undefined ? (
          <p>
            The invitation is on its way to <Text>{email}</Text>. If it cannot be sent, the list of members says so.
          </p>
        ) : (
          <>
            <p>
              <strong>Copy it now.</strong> It is shown only once. Send it only to <Text>{email}</Text>: anyone who
              opens the link can sign in as this member.
            </p>
            <Secret list={MEMBERS_PATH}>{url}</Secret>
          </>
        )}
      </Note>
      <Facts facts={{ Email: <Text>{email}</Text>, Role: role, "Link expires": <Time at={expiresAt} /> }} />
      <div class="actions">
        <a href={MEMBERS_PATH}>All members</a>
      </div>
    </>
  );
  return { ...titledPage(title, body, 201), ...(!deps.canMail && { secret: true }) };
}

function invitePage(deps: PageDeps, form: Form, errors: readonly FieldError[]): HtmlPage {
  return titledPage(
    "Invite a member",
    <>
      <p>
        {deps.canMail ? "They receive a link by email." : "Email is not set up here, so you get a link to share."} It
        works once and expires after {INVITATION_DAYS} days.
      </p>
      <FormErrors errors={errors} fields={{ email: "Email address", role: "Role" }} />
      <AccountForm fields={inviteFields} errors={errors} formId={keepFormId(form, deps.random)}>
        <TextField
          name="email"
          label="Email address"
          inputMode="email"
          value={readField(form, "email")}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
        <RoleChoice role={readField(form, "role")} />
        <FormButtons submit="Invite member" cancel={MEMBERS_PATH} />
      </AccountForm>
    </>,
  );
}
