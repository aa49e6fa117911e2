import { visible } from "@shipping/api/input/text";
import { getMember } from "../members/manage-members.js";
import { AccountForm, Confirmation, HiddenField } from "../page/form.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { readField } from "../page/read-form.js";
import { Table } from "../page/table.js";
import { AskLink, Text, Time, titledPage } from "../page/text.js";
import {
  describeDevice,
  endSessions,
  listSessions,
  type MemberSession,
  toSessionId,
} from "../session/member-sessions.js";
import { setCookie } from "../session/session.js";
import { MEMBERS_PATH } from "./members.js";

/** Without a session, the form ends all. */
export const sessionFields = { session: { maxLength: 16 } };
const SESSIONS_PATH = `${AREA_PATH}/sessions`;

/** `GET /developers/sessions`: where a member is signed in. */
export async function showSessions(deps: PageDeps, { session }: PageRequest): Promise<PageAnswer> {
  const sessions = await listSessions(deps, session.memberId);
  return titledPage(
    "Your sessions",
    <>
      <p>
        Where you are signed in to this account. If you do not recognize a session, end it, and check that nobody else
        can read your emails.
      </p>
      <SessionTable sessions={sessions} current={toSessionId(session.hash)} mayEnd />
      <div class="actions">
        <AskLink class="button danger-action" href={`${SESSIONS_PATH}/end`}>
          Sign out everywhere
        </AskLink>
      </div>
    </>,
  );
}

/** `GET /developers/sessions/end`: asks before all sessions of the member are ended. */
export async function confirmEndSessions(deps: PageDeps, { session }: PageRequest): Promise<PageAnswer> {
  const sessions = await listSessions(deps, session.memberId);
  return htmlPage(
    "Sign out everywhere",
    <Confirmation
      question="Sign out everywhere?"
      facts={{ Account: <Text>{session.accountName}</Text>, Sessions: sessions.length.toLocaleString("en") }}
      submit="Sign out everywhere"
      cancel={SESSIONS_PATH}
      action={SESSIONS_PATH}
    >
      <p>You are signed out of this account on every device, this one included. API keys are not affected.</p>
    </Confirmation>,
  );
}

/** `POST /developers/sessions`: ends one of the member's sessions, or all of them. */
export async function submitSessions(deps: PageDeps, { session, form, actor }: PageRequest): Promise<PageAnswer> {
  const id = readField(form, "session");
  await endSessions(deps, session, actor, id || undefined);
  if (id && id !== toSessionId(session.hash)) return { location: SESSIONS_PATH, done: "session-ended" };
  const done = id ? "signed-out" : "signed-out-everywhere";
  return { location: AREA_PATH, done, cookies: [setCookie("session", undefined, deps.origin())] };
}

/** `GET /developers/members/{id}/sessions`: where another member is signed in. */
export async function showMemberSessions(deps: PageDeps, { session, id }: PageRequest): Promise<PageAnswer> {
  const member = await getMember(deps, { accountId: session.accountId, id });
  const sessions = await listSessions(deps, id);
  const current = id === session.memberId ? toSessionId(session.hash) : undefined;
  return titledPage(
    "Sessions of a member",
    <>
      <p>
        <Text>{member.email}</Text> {sessions.length === 0 ? "is not signed in." : "is signed in here:"}
      </p>
      {sessions.length > 0 && <SessionTable sessions={sessions} current={current} />}
      <div class="actions">
        {sessions.length > 0 && (
          <AskLink class="button danger-action" href={`${MEMBERS_PATH}/${id}/sessions/end`}>
            Sign out everywhere
          </AskLink>
        )}
        <a href={MEMBERS_PATH}>Back to members</a>
      </div>
    </>,
  );
}

/** `GET /developers/members/{id}/sessions/end`: asks before all sessions of a member are ended. */
export async function confirmEndMemberSessions(deps: PageDeps, { session, id }: PageRequest): Promise<PageAnswer> {
  const member = await getMember(deps, { accountId: session.accountId, id });
  const sessions = await listSessions(deps, id);
  const path = `${MEMBERS_PATH}/${id}/sessions`;
  return htmlPage(
    "Sign a member out",
    <Confirmation
      question={`Sign ${visible(member.email)} out everywhere?`}
      facts={{ Sessions: sessions.length.toLocaleString("en") }}
      submit="Sign out everywhere"
      cancel={path}
      action={path}
    >
      <p>
        <Text>{member.email}</Text> is signed out of this account on every device, and can sign in again with a new
        link. To keep a person out, remove the member.
      </p>
    </Confirmation>,
  );
}

/** `POST /developers/members/{id}/sessions`: ends all sessions of a member, from their next request on. */
export async function submitMemberSessions(deps: PageDeps, { session, id, actor }: PageRequest): Promise<PageAnswer> {
  const { accountId } = session;
  const { email } = await getMember(deps, { accountId, id });
  await endSessions(deps, { accountId, memberId: id, email }, actor);
  if (id !== session.memberId) return { location: MEMBERS_PATH, done: "member-signed-out" };
  const cookies = [setCookie("session", undefined, deps.origin())];
  return { location: AREA_PATH, done: "signed-out-everywhere", cookies };
}

function SessionTable(props: { sessions: readonly MemberSession[]; current: string | undefined; mayEnd?: true }) {
  const { sessions, current, mayEnd } = props;
  return (
    <Table
      columns={{
        Device: ({ id, userAgent }) => (
          <span title={userAgent ?? undefined}>
            {describeDevice(userAgent)} {id === current && <span class="tag">This device</span>}
          </span>
        ),
        "IP address": ({ source }) => source ?? "Unknown",
        "Last seen": ({ seenAt }) => <Time at={seenAt} />,
        "Signed in": ({ createdAt }) => <Time at={createdAt} />,
        Actions: mayEnd && (({ id }) => id !== current && <EndSession id={id} />),
      }}
      actions="Actions"
      rows={sessions}
    />
  );
}

function EndSession({ id }: { id: string }) {
  return (
    <AccountForm fields={sessionFields} action={SESSIONS_PATH}>
      <HiddenField name="session" value={id} />
      <button class="quiet" type="submit">
        End session
      </button>
    </AccountForm>
  );
}
