import type { Invited } from "../../accounts/invite-members.js";
import { Note, Text, Time } from "../page/text.js";
import { MEMBERS_PATH } from "./members.js";

/** Says that an invitation is on its way, or shows its link, this once. */
export function InvitationPage({ invited, isMailed }: { invited: Invited; isMailed: boolean }) {
  const { email, role, url, expiresAt } = invited;
  return (
    <>
      <h1>{isMailed ? "Invitation sent" : "Pass on the link"}</h1>
      {isMailed ? (
        <Note kind="good">
          <p>
            The invitation is on its way to <Text>{email}</Text>.
          </p>
        </Note>
      ) : (
        <Note kind="good">
          <p>
            <strong>Copy it now.</strong> It is not shown again. Send it to <Text>{email}</Text> alone: whoever opens it
            first signs in as them.
          </p>
          <output id="secret" data-copy data-list={MEMBERS_PATH}>
            {url}
          </output>
        </Note>
      )}
      <dl>
        <dt>E-mail</dt>
        <dd>
          <Text>{email}</Text>
        </dd>
        <dt>Role</dt>
        <dd>{role}</dd>
        <dt>The link works until</dt>
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
