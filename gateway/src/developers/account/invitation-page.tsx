import type { Invited } from "../../accounts/invite-members.js";
import { Note, Text, Time } from "../page/text.js";
import { MEMBERS_PATH } from "./members.js";

/** Says that an invitation is on its way, or shows its link, this once. */
export function InvitationPage({ invited, isMailed }: { invited: Invited; isMailed: boolean }) {
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
