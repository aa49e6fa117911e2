import { listMembers } from "../../accounts/manage-members.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { cursorOf, PAGE_SIZE, Paging, pageOf } from "../page/paging.js";
import { Code, Text, Time } from "../page/text.js";

/** `GET /developers/members`. */
export async function showMembers(deps: PageDeps, { session, query }: PageRequest): Promise<PageAnswer> {
  const { accountId } = session;
  const wanted = cursorOf(query, "mem");
  const begin =
    wanted === undefined ? null : await deps.prisma.accountMember.findFirst({ where: { id: wanted, accountId } });
  const after = begin?.id;
  const read = await listMembers(deps, accountId, { after, take: PAGE_SIZE + 1 });
  const { rows: members, nextCursor } = pageOf(read);
  return shown(
    "Members",
    <>
      <h1>Members</h1>
      <p>
        Who may sign in to this account. An admin creates and revokes; a viewer sees everything and changes nothing.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">E-mail</th>
            <th scope="col">Role</th>
            <th scope="col">Added</th>
            {deps.provider && <th scope="col">Sign-in</th>}
          </tr>
        </thead>
        <tbody>
          {members.map(({ id, email, role, bound, createdAt }) => (
            <tr>
              <td data-label="E-mail">
                <span>
                  <Text>{email}</Text> {id === session.memberId && <span class="tag">You</span>}
                </span>
              </td>
              <td data-label="Role">{role}</td>
              <td data-label="Added">
                <Time at={createdAt} />
              </td>
              {deps.provider && <td data-label="Sign-in">{bound ? "Known to the provider" : "Not yet"}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <Paging path={`${AREA_PATH}/members`} after={after} next={nextCursor} />
      <h2>To add or remove a member</h2>
      <p>Whoever operates this installation does so. A removed member is signed out everywhere at once.</p>
      <Code>{`npm run -s admin -- member add --account ${accountId} --email E --role viewer
npm run -s admin -- member remove --account ${accountId} --email E`}</Code>
    </>,
  );
}
