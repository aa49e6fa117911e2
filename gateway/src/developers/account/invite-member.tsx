import { type FieldError, failureIn } from "@shipping/kit/errors";
import { isId, newId } from "@shipping/kit/ids";
import { z } from "zod";
import { INVITATION_DAYS, type Invited, inviteAgain, inviteMember } from "../../accounts/invite-members.js";
import { getMember, normalizeEmail, ROLES } from "../../accounts/manage-members.js";
import type { Mail } from "../../mail/deliver.js";
import { toMail } from "../../mail/letter.js";
import { SITE_NAME } from "../../site/site-header.js";
import { AccountForm, Fault, Field, FormFaults, faultAttributes, formId } from "../page/form.js";
import { AREA_PATH, type HtmlPage, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { checkForm } from "../page/read-form.js";
import { Note, Text, Time } from "../page/text.js";
import { RoleChoice } from "./change-member.js";
import { MEMBERS_PATH } from "./members.js";

const inviteForm = z.object({
  email: z.string("is required").refine(isEmail, "must be one email address"),
  role: z.enum(ROLES, "must be admin or viewer"),
  form_id: formId,
});
const againForm = z.object({ form_id: formId });

function isEmail(text: string): boolean {
  try {
    return normalizeEmail(text) !== "";
  } catch (error) {
    if (failureIn(error)) return false;
    throw error;
  }
}

/** `GET /developers/members/invite`. */
export async function showInviteForm(deps: PageDeps): Promise<PageAnswer> {
  const values = { email: "", role: "viewer", formId: newId("form", deps.random) };
  return shown("Invite a member", <InviteForm deps={deps} values={values} faults={[]} />);
}

/** `POST /developers/members/invite`. Where no mail is sent, the link stands in this answer and nowhere else. */
export async function submitInviteForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, session, actor } = request;
  const { value, faults } = checkForm(inviteForm, form);
  if (!value) return refuseForm(deps, request, 422, faults);
  const { email, role, form_id: id } = value;
  try {
    const wanted = { accountId: session.accountId, email, role, formId: id, origin: deps.origin() };
    return send(deps, request, await inviteMember(deps, wanted, actor));
  } catch (error) {
    const failure = failureIn(error);
    if (failure?.code === "idempotency_conflict") return { location: MEMBERS_PATH };
    // The fields are right: somebody is already a member, or there are as many as there may be.
    if (failure?.code !== "invalid_request") throw error;
    return refuseForm(deps, request, 409, [{ path: "", message: failure.message }]);
  }
}

/** `GET /developers/members/{id}/invite-again`: asks. */
export async function confirmInviteAgain(deps: PageDeps, { session, id }: PageRequest): Promise<PageAnswer> {
  const member = await getMember(deps, { accountId: session.accountId, id });
  if (!member.invitedAt) return { location: MEMBERS_PATH };
  return shown(
    "Resend an invitation",
    <>
      <h1>Resend an invitation</h1>
      <p>
        <Text>{member.email}</Text> has not signed in yet.{" "}
        {deps.mailer.canSend ? "We send a new link by email" : "You get a new link to share"}. The previous link stops
        working.
      </p>
      <AccountForm>
        <input type="hidden" name="form_id" value={newId("form", deps.random)} />
        <div class="actions">
          <button type="submit">Resend invitation</button>
          <a href={MEMBERS_PATH}>Cancel</a>
        </div>
      </AccountForm>
    </>,
  );
}

/** `POST /developers/members/{id}/invite-again`. */
export async function submitInviteAgain(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, session, actor, id } = request;
  const { accountId } = session;
  const { invitedAt } = await getMember(deps, { accountId, id });
  const { value } = checkForm(againForm, form);
  if (!invitedAt || !value) return { location: MEMBERS_PATH };
  try {
    const wanted = { accountId, id, formId: value.form_id, origin: deps.origin() };
    return send(deps, request, await inviteAgain(deps, wanted, actor));
  } catch (error) {
    const code = failureIn(error)?.code;
    // Sent before, or come in between: either way the list says how it stands.
    if (code === "idempotency_conflict" || code === "invalid_request") return { location: MEMBERS_PATH };
    throw error;
  }
}

function send(deps: PageDeps, { session }: PageRequest, invited: Invited): HtmlPage {
  const { canSend } = deps.mailer;
  const { email: inviter, accountName } = session;
  if (canSend) void deps.mailer.send(invitationMail({ ...invited, inviter, accountName, origin: deps.origin() }));
  const body = <InvitationPage invited={invited} isMailed={canSend} />;
  return {
    status: 201,
    title: canSend ? "Invitation sent" : "Share the link",
    body,
    ...(!canSend && { secret: true }),
  };
}

interface Values {
  email: string;
  role: string;
  formId: string;
}

function InviteForm(props: { deps: PageDeps; values: Values; faults: readonly FieldError[] }) {
  const { deps, values, faults } = props;
  return (
    <>
      <h1>Invite a member</h1>
      <p>
        {deps.mailer.canSend
          ? `They receive a link by email. It works once and expires after ${INVITATION_DAYS} days.`
          : `Email is not set up here, so you get a link to share. It works once and expires after ${INVITATION_DAYS} days.`}
      </p>
      <FormFaults faults={faults} fields={["email", "role"]} />
      <AccountForm>
        <input type="hidden" name="form_id" value={values.formId} />
        <Field id="email" label="Email address">
          <input
            type="text"
            inputMode="email"
            id="email"
            name="email"
            value={values.email}
            maxLength={200}
            required
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            {...faultAttributes("email", faults, "email")}
          />
          <Fault id="email" faults={faults} path="email" />
        </Field>
        <RoleChoice role={values.role} faults={faults} />
        <div class="actions">
          <button type="submit">Invite member</button>
          <a href={MEMBERS_PATH}>Cancel</a>
        </div>
      </AccountForm>
    </>
  );
}

function refuseForm(deps: PageDeps, { form }: PageRequest, status: number, faults: readonly FieldError[]): HtmlPage {
  const sent = (name: string) => form.get(name)?.[0] ?? "";
  const values = {
    email: sent("email"),
    role: sent("role"),
    formId: isId("form", sent("form_id")) ? sent("form_id") : newId("form", deps.random),
  };
  return { status, title: "Invite a member", body: <InviteForm deps={deps} values={values} faults={faults} /> };
}

/** Says that an invitation is on its way, or shows its link, this once. */
function InvitationPage({ invited, isMailed }: { invited: Invited; isMailed: boolean }) {
  const { email, role, url, expiresAt } = invited;
  return (
    <>
      <h1>{isMailed ? "Invitation sent" : "Share the link"}</h1>
      {isMailed ? (
        <Note kind="good">
          <p>
            The invitation is on its way to <Text>{email}</Text>.
          </p>
        </Note>
      ) : (
        <Note kind="good">
          <p>
            <strong>Copy it now.</strong> It is shown only once. Send it only to <Text>{email}</Text>: anyone who opens
            the link can sign in as this member.
          </p>
          <output id="secret" data-copy data-list={MEMBERS_PATH}>
            {url}
          </output>
        </Note>
      )}
      <dl>
        <dt>Email</dt>
        <dd>
          <Text>{email}</Text>
        </dd>
        <dt>Role</dt>
        <dd>{role}</dd>
        <dt>Link expires</dt>
        <dd>
          <Time at={expiresAt} />
        </dd>
      </dl>
      <div class="actions">
        <a href={MEMBERS_PATH}>All members</a>
      </div>
    </>
  );
}

const MAY = {
  admin: "an admin, who can change everything",
  viewer: "a viewer, who can see everything but change nothing",
};

/** The mail that invites somebody. */
function invitationMail(invited: Invited & { inviter: string; accountName: string; origin: string }): Mail {
  const { email, role, url, inviter, accountName, origin } = invited;
  return toMail(email, {
    subject: `Invitation to ${accountName} on ${SITE_NAME}`,
    before: [`${inviter} has invited you to the developer area of ${accountName} as ${MAY[role]}.`],
    links: [{ words: `Sign in to ${accountName}`, url }],
    after: [
      `The link works once and expires after ${INVITATION_DAYS} days. To sign in later, request a new link at ${origin}${AREA_PATH} with this email address.`,
      "If you did not expect this invitation, ignore this email.",
    ],
  });
}
