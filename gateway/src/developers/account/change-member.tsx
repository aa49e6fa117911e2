import { type FieldError, failureIn } from "@shipping/kit/errors";
import { z } from "zod";
import { changeRole, getMember, type Member, ROLES, type Role, removeMember } from "../../accounts/manage-members.js";
import { AccountForm, Fault, Field, FormFaults, faultAttributes } from "../page/form.js";
import { AREA_PATH, type HtmlPage, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { checkForm } from "../page/read-form.js";
import { Note, Text, Time } from "../page/text.js";
import { setCookie } from "../session/session.js";
import { MEMBERS_PATH } from "./members.js";

const roleForm = z.object({ role: z.enum(ROLES, "must be admin or viewer") });

const memberOf = (deps: PageDeps, { session, id }: PageRequest) =>
  getMember(deps, { accountId: session.accountId, id });

/** `GET /developers/members/{id}/role`. */
export async function showRoleForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const member = await memberOf(deps, request);
  return shown("Change a role", <RoleForm member={member} role={member.role} faults={[]} />);
}

/** `POST /developers/members/{id}/role`. It counts from the member's next request on. */
export async function submitRoleForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const member = await memberOf(deps, request);
  const { value, faults } = checkForm(roleForm, request.form);
  const refuse = (status: number, faults: readonly FieldError[]): HtmlPage => {
    const role = request.form.get("role")?.[0] ?? "";
    return { status, title: "Change a role", body: <RoleForm member={member} role={role} faults={faults} /> };
  };
  if (!value) return refuse(422, faults);
  const { accountId } = request.session;
  try {
    await changeRole(deps, { accountId, id: member.id, role: value.role }, request.actor);
    return { location: MEMBERS_PATH };
  } catch (error) {
    return refuse(409, lastAdminIn(error));
  }
}

function RoleForm({ member, role, faults }: { member: Member; role: string; faults: readonly FieldError[] }) {
  return (
    <>
      <h1>Change a role</h1>
      <FormFaults faults={faults} fields={["role"]} />
      <dl>
        <dt>Email</dt>
        <dd>
          <Text>{member.email}</Text>
        </dd>
      </dl>
      <AccountForm>
        <RoleChoice role={role} faults={faults} />
        <div class="actions">
          <button type="submit">Change role</button>
          <a href={MEMBERS_PATH}>Cancel</a>
        </div>
      </AccountForm>
    </>
  );
}

/** `GET /developers/members/{id}/remove`: asks, and says what ends. */
export async function confirmRemove(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const member = await memberOf(deps, request);
  return shown(
    "Remove a member",
    <Question member={member} isYou={member.id === request.session.memberId} faults={[]} />,
  );
}

/** `POST /developers/members/{id}/remove`. Whoever removes themselves is signed out with it. */
export async function submitRemove(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { session, actor } = request;
  const member = await memberOf(deps, request);
  const isYou = member.id === session.memberId;
  try {
    await removeMember(deps, { accountId: session.accountId, id: member.id }, actor);
  } catch (error) {
    const body = <Question member={member} isYou={isYou} faults={lastAdminIn(error)} />;
    return { status: 409, title: "Remove a member", body };
  }
  if (!isYou) return { location: MEMBERS_PATH };
  return { location: AREA_PATH, cookies: [setCookie("session", undefined, deps.origin())] };
}

function Question({ member, isYou, faults }: { member: Member; isYou: boolean; faults: readonly FieldError[] }) {
  const { email, role, createdAt, invitedAt } = member;
  return (
    <>
      <h1>{isYou ? "Remove yourself?" : "Remove a member?"}</h1>
      <FormFaults faults={faults} fields={[]} />
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
      <dl>
        <dt>Role</dt>
        <dd>{role}</dd>
        <dt>{invitedAt ? "Invited" : "Added"}</dt>
        <dd>
          <Time at={invitedAt ?? createdAt} />
        </dd>
      </dl>
      <AccountForm>
        <div class="actions">
          <button class="danger-action" type="submit">
            Remove member
          </button>
          <a href={MEMBERS_PATH}>Cancel</a>
        </div>
      </AccountForm>
    </>
  );
}

function lastAdminIn(error: unknown): FieldError[] {
  const failure = failureIn(error);
  if (failure?.code !== "invalid_request") throw error;
  return [{ path: "", message: failure.message }];
}

const WORDS: Record<Role, string> = {
  admin: "Admin: can change everything",
  viewer: "Viewer: can see everything",
};

/** The field in which a role is chosen. */
export function RoleChoice({ role: chosen, faults }: { role: string; faults: readonly FieldError[] }) {
  return (
    <Field id="role" label="Role">
      <select id="role" name="role" {...faultAttributes("role", faults, "role")}>
        {ROLES.map((role) => (
          <option value={role} selected={role === chosen}>
            {WORDS[role]}
          </option>
        ))}
      </select>
      <Fault id="role" faults={faults} path="role" />
    </Field>
  );
}
