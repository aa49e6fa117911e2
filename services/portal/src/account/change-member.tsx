import { NO_FIELDS } from "@shipping/api/input/fields";
import { visible } from "@shipping/api/input/text";
import type { FieldError } from "@shipping/kit/errors";
import { z } from "zod";
import { changeRole, getMember, type Member, ROLES, type Role, removeMember } from "../members/manage-members.js";
import { AccountForm, Choice, Confirmation, FormButtons, FormErrors } from "../page/form.js";
import { AREA_PATH, type HtmlPage, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { readField, submitForm } from "../page/read-form.js";
import { Facts } from "../page/table.js";
import { Text, Time, titledPage } from "../page/text.js";
import { setCookie } from "../session/session.js";
import { MEMBERS_PATH } from "./members.js";

export const ROLE_FIELD = { maxLength: 10 };
export const roleFields = { role: ROLE_FIELD };
const roleForm = z.object({ role: z.enum(ROLES, "must be admin or viewer") });

const findMember = (deps: PageDeps, { session, id }: PageRequest) =>
  getMember(deps, { accountId: session.accountId, id });

export async function showRoleForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const member = await findMember(deps, request);
  return rolePage(member, member.role, []);
}

/** `POST /developers/members/{id}/role`. The new role applies from the member's next request on. */
export async function submitRoleForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const member = await findMember(deps, request);
  return submitForm(request.form, {
    schema: roleForm,
    fields: roleFields,
    list: MEMBERS_PATH,
    show: (errors) => rolePage(member, readField(request.form, "role"), errors),
    async act({ role }) {
      await changeRole(deps, { accountId: request.session.accountId, id: member.id, role }, request.actor);
      return { location: MEMBERS_PATH, done: "role-changed" };
    },
  });
}

function rolePage(member: Member, role: string, errors: readonly FieldError[]): HtmlPage {
  return titledPage(
    "Change a role",
    <>
      <FormErrors errors={errors} fields={{ role: "Role" }} />
      <Facts facts={{ Email: <Text>{member.email}</Text> }} />
      <AccountForm fields={roleFields} errors={errors}>
        <RoleChoice role={role} />
        <FormButtons submit="Change role" cancel={MEMBERS_PATH} />
      </AccountForm>
    </>,
  );
}

export async function confirmRemove(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const member = await findMember(deps, request);
  return removePage(member, request, []);
}

/** `POST /developers/members/{id}/remove`. Members who remove themselves are signed out. */
export async function submitRemove(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { session, actor } = request;
  const member = await findMember(deps, request);
  return submitForm(request.form, {
    schema: z.object({}),
    fields: NO_FIELDS,
    list: MEMBERS_PATH,
    show: (errors) => removePage(member, request, errors),
    async act() {
      await removeMember(deps, { accountId: session.accountId, id: member.id }, actor);
      if (member.id !== session.memberId) return { location: MEMBERS_PATH, done: "member-removed" };
      return {
        location: AREA_PATH,
        done: "account-left",
        cookies: [setCookie("session", undefined, deps.origin())],
      };
    },
  });
}

function removePage(member: Member, { session }: PageRequest, errors: readonly FieldError[]): HtmlPage {
  const { id, email, role, createdAt, invitedAt } = member;
  const isYou = id === session.memberId;
  return htmlPage(
    "Remove a member",
    <Confirmation
      question={isYou ? "Leave this account?" : `Remove ${visible(email)}?`}
      errors={errors}
      facts={{ Role: role, [invitedAt ? "Invited" : "Added"]: <Time at={invitedAt ?? createdAt} /> }}
      submit={isYou ? "Leave account" : "Remove member"}
      cancel={MEMBERS_PATH}
    >
      <p>
        {invitedAt ? (
          <>
            The invitation of <Text>{email}</Text> stops working immediately.
          </>
        ) : (
          <>
            <Text>{email}</Text> is signed out everywhere immediately.
          </>
        )}
        {isYou && " To return, you need an invitation from another admin."}
      </p>
      <p>
        API keys and subscriptions are not affected.
        {!isYou && " If this person has seen an API key, consider revoking it."}
      </p>
    </Confirmation>,
  );
}

const WORDS: Record<Role, string> = {
  admin: "Admin: can change everything",
  viewer: "Viewer: has read-only access",
};

export function RoleChoice({ role: chosen }: { role: string }) {
  return <Choice name="role" label="Role" chosen={chosen} options={Object.entries(WORDS)} />;
}
