import sql from "sql-template-tag";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { Table, Text } from "../page/text.js";

interface Membership {
  accountId: string;
  name: string;
  role: string;
}

/** `GET /developers/accounts`: the account of the session, and the other accounts of the same identity at the provider. */
export async function showAccounts(deps: PageDeps, { session }: PageRequest): Promise<PageAnswer> {
  const others = await findOtherAccounts(deps, session.memberId);
  const own = { accountId: session.accountId, name: session.accountName, role: session.role };
  return htmlPage(
    "Your accounts",
    <>
      <h1>Your accounts</h1>
      <p>
        {deps.provider
          ? "The accounts that you can sign in to through the provider. An account that you joined later is listed after your next sign-in."
          : "A sign-in link leads to one account. To work in another one, use a link for it."}
      </p>
      <Table headings={["Account", "Role", "Change"]}>
        {[own, ...others].map((membership) => (
          <Row membership={membership} isCurrent={membership === own} />
        ))}
      </Table>
    </>,
  );
}

function Row({ membership: { accountId, name, role }, isCurrent }: { membership: Membership; isCurrent: boolean }) {
  return (
    <tr>
      <td data-label="Account">
        <Text>{name}</Text>
      </td>
      <td data-label="Role">{role}</td>
      <td data-label="Change">
        {isCurrent ? (
          <span class="tag">Signed in</span>
        ) : (
          <a href={`${AREA_PATH}/sign-in/provider?account=${accountId}`}>
            Switch to <Text>{name}</Text>
          </a>
        )}
      </td>
    </tr>
  );
}

// By identity, not by email: an invitation can be shared with somebody who does not read that mailbox.
function findOtherAccounts({ db, provider }: PageDeps, memberId: string): Promise<Membership[]> {
  if (!provider) return Promise.resolve([]);
  return db.run<Membership>(sql`
    SELECT a.id AS "accountId", a.name, m.role
    FROM account_members me
    JOIN account_members m ON m.issuer = me.issuer AND m.subject = me.subject AND m.id <> me.id
    JOIN accounts a ON a.id = m.account_id
    WHERE me.id = ${memberId} AND m.invited_at IS NULL
    ORDER BY a.name, a.id LIMIT 100`);
}
