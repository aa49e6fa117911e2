import { showEmail } from "../mail/host-name.js";
import { INVITATION_DAYS } from "../members/invite-members.js";
import { listMembers, type Member } from "../members/manage-members.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { PAGE_SIZE, Paging, readCursor, toPage } from "../page/paging.js";
import { Table } from "../page/table.js";
import { AskLink, ButtonLink, ListHead, Text, Time } from "../page/text.js";

export const MEMBERS_PATH = `${AREA_PATH}/members`;

export async function showMembers(deps: PageDeps, { session, query }: PageRequest): Promise<PageAnswer> {
  const { accountId } = session;
  const id = readCursor(query, "mem");
  const after = id && (await deps.prisma.accountMember.findFirst({ where: { id, accountId } }))?.id;
  const rows = await listMembers(deps, accountId, { after, take: PAGE_SIZE + 1 });
  const { rows: members, nextCursor } = toPage(rows);
  const mayChange = session.role === "admin";
  return htmlPage(
    "Members",
    <>
      <ListHead
        title="Members"
        add={mayChange && <ButtonLink href={`${MEMBERS_PATH}/invite`}>Invite member</ButtonLink>}
      >
        The people who can sign in to this account. Admins can change everything. Viewers have read-only access.
      </ListHead>
      <Table
        class="members"
        places={{ Email: "title", Role: "state", Added: "detail", Actions: "aside" }}
        columns={{
          Email: ({ id, email }) => (
            <span>
              <Text>{showEmail(email)}</Text> {id === session.memberId && <span class="tag">You</span>}
            </span>
          ),
          Role: ({ role }) => role,
          Added: (member) => <Added member={member} now={deps.now()} />,
          "Sign-in": deps.provider && (({ bound }) => (bound ? "Linked" : "Not yet")),
          Actions: mayChange && ((member) => <Changes member={member} />),
        }}
        actions="Actions"
        rows={members}
      />
      <Paging path={MEMBERS_PATH} query={query} after={after} next={nextCursor} />
    </>,
  );
}

function Added({ member, now }: { member: Member; now: Date }) {
  const { createdAt, invitedAt, invitationMail } = member;
  if (!invitedAt) return <Time at={createdAt} short />;
  const isExpired = now.getTime() - invitedAt.getTime() > INVITATION_DAYS * 86_400_000;
  return (
    <span>
      {invitationMail === "failed" ? (
        <span class="tag danger">Email not sent</span>
      ) : invitationMail === "waiting" ? (
        <span class="tag">Sending invitation</span>
      ) : isExpired ? (
        <span class="tag warning">Invitation expired</span>
      ) : (
        <span class="tag">Invited</span>
      )}{" "}
      <Time at={invitedAt} short />
    </span>
  );
}

function Changes({ member: { id, email, invitedAt } }: { member: Member }) {
  const path = `${MEMBERS_PATH}/${id}`;
  return (
    <span class="row-actions">
      {invitedAt && (
        <a href={`${path}/invite-again`} aria-label={`Resend invitation to ${email}`}>
          Resend invitation
        </a>
      )}
      <a href={`${path}/role`} aria-label={`Change role of ${email}`}>
        Change role
      </a>
      {!invitedAt && (
        <a href={`${path}/sessions`} aria-label={`Sessions of ${email}`}>
          Sessions
        </a>
      )}
      <AskLink class="danger-link" href={`${path}/remove`} aria-label={`Remove ${email}`}>
        Remove
      </AskLink>
    </span>
  );
}
