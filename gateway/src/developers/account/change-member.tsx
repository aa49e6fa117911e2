import { type FieldError, failureIn } from "@shipping/kit/errors";
import { z } from "zod";
import { changeRole, getMember, type Member, ROLES, type Role, removeMember } from "../../accounts/manage-members.js";
import { NO_FIELDS } from "../../input/fields.js";
import { AccountForm, Choice, FormButtons, FormErrors } from "../page/form.js";
import { AREA_PATH, type HtmlPage, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { checkForm, readField } from "../page/read-form.js";
import { Facts } from "../page/table.js";
import { Note, Text, Time } from "../page/text.js";
import { setCookie } from "../session/session.js";
import { MEMBERS_PATH } from "./members.js";

export const ROLE_FIELD = { maxLength: 10 };
export const roleFields = { role: ROLE_FIELD };
const roleForm = z.object({ role: z.enum(ROLES, "must be admin or viewer") });

const findMember = (deps: PageDeps, { session, id }: PageRequest) =>
  getMember(deps, { accountId: session.accountId, id });

export async function showRoleForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const member = await findMember(deps, request);
  return htmlPage("Change a role", <RoleForm member={member} role={member.role} errors={[]} />);
}

/** `POST /developers/members/{id}/role`. The new role applies from the member's next request on. */
export async function submitRoleForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const member = await findMember(deps, request);
  const { value, errors } = checkForm(roleForm, request.form, roleFields);
  const refuse = (status: number, errors: readonly FieldError[]): HtmlPage => {
    const role = readField(request.form, "role");
    return { status, title: "Change a role", body: <RoleForm member={member} role={role} errors={errors} /> };
  };
  if (!value) return refuse(422, errors);
  const { accountId } = request.session;
  try {
    await changeRole(deps, { accountId, id: member.id, role: value.role }, request.actor);
    return { location: MEMBERS_PATH };
  } catch (error) {
    return refuse(409, lastAdminErrors(error));
  }
}

function RoleForm({ member, role, errors }: { member: Member; role: string; errors: readonly FieldError[] }) {
  return (
    <>
      <h1>Change a role</h1>
      <FormErrors errors={errors} fields={["role"]} />
      <Facts facts={{ Email: <Text>{member.email}</Text> }} />
      <AccountForm fields={roleFields}>
        <RoleChoice role={role} errors={errors} />
        <FormButtons submit="Change role" cancel={MEMBERS_PATH} />
      </AccountForm>
    </>
  );
}

export async function confirmRemove(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const member = await findMember(deps, request);
  return htmlPage(
    "Remove a member",
    <RemoveForm member={member} isYou={member.id === request.session.memberId} errors={[]} />,
  );
}

/** `POST /developers/members/{id}/remove`. Members who remove themselves are signed out. */
export async function submitRemove(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { session, actor } = request;
  const member = await findMember(deps, request);
  const isYou = member.id === session.memberId;
  try {
    await removeMember(deps, { accountId: session.accountId, id: member.id }, actor);
  } catch (error) {
    const body = <RemoveForm member={member} isYou={isYou} errors={lastAdminErrors(error)} />;
    return { status: 409, title: "Remove a member", body };
  }
  if (!isYou) return { location: MEMBERS_PATH };
  return { location: AREA_PATH, cookies: [setCookie("session", undefined, deps.origin())] };
}

function RemoveForm({ member, isYou, errors }: { member: Member; isYou: boolean; errors: readonly FieldError[] }) {
  const { email, role, createdAt, invitedAt } = member;
  return (
    <>
      <h1>{isYou ? "Remove yourself?" : "Remove a member?"}</h1>
      <FormErrors errors={errors} fields={[]} />
      <Note kind="danger">
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
        <p>API keys and subscriptions are not affected. If this person has seen an API key, consider revoking it.</p>
      </Note>
      <Facts facts={{ Role: role, [invitedAt ? "Invited" : "Added"]: <Time at={invitedAt ?? createdAt} /> }} />
      <AccountForm fields={NO_FIELDS}>
        <FormButtons submit="Remove member" cancel={MEMBERS_PATH} isDangerous />
      </AccountForm>
    </>
  );
}

// The last admin can be neither removed nor made a viewer.
function lastAdminErrors(error: unknown): FieldError[] {
  const failure = failureIn(error);
  if (failure?.code !== "invalid_request") throw error;
  return [{ path: "", message: failure.message }];
}

const WORDS: Record<Role, string> = {
  admin: "Admin: can change everything",
  viewer: "Viewer: can see everything",
};

export function RoleChoice({ role: chosen, errors }: { role: string; errors: readonly FieldError[] }) {
  return <Choice name="role" label="Role" chosen={chosen} options={Object.entries(WORDS)} errors={errors} />;
}
