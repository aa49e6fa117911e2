import { ID_FIELD } from "@shipping/api/input/fields";
import { AccountForm, HiddenField } from "../page/form.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { readField } from "../page/read-form.js";
import { Table } from "../page/table.js";
import { Guide, Text, titledPage } from "../page/text.js";
import { setCookie } from "../session/session.js";
import { findOtherAccounts, type OtherAccount, switchAccount } from "../session/switch-account.js";

export const accountFields = { account: ID_FIELD };
const ACCOUNTS_PATH = `${AREA_PATH}/accounts`;

/** `GET /developers/accounts`: the account of the session, and the other accounts of the same person. */
export async function showAccounts(deps: PageDeps, { session }: PageRequest): Promise<PageAnswer> {
  const others = await findOtherAccounts(deps, session, { alsoLinked: deps.provider !== undefined });
  return titledPage(
    "Your accounts",
    <>
      {others.length === 0 && (
        <p>
          To see your other accounts here, sign in {deps.provider && "through the provider, or "}with a link that you
          request by email. Accounts that invited you are listed once you have accepted the invitation.
        </p>
      )}
      <Table
        columns={{
          Account: ({ name }) => <Text>{name}</Text>,
          Role: ({ role }) => role,
          Actions: ({ other }) => (other ? <Switch account={other} /> : <span class="tag">Signed in</span>),
        }}
        rows={[
          { name: session.accountName, role: session.role, other: undefined },
          ...others.map((other) => ({ name: other.name, role: other.role, other })),
        ]}
      />
    </>,
  );
}

function Switch({ account: { accountId, name, isProven } }: { account: OtherAccount }) {
  if (!isProven) {
    return (
      <a href={`${AREA_PATH}/sign-in/provider?account=${accountId}`}>
        Sign in to <Text>{name}</Text>
      </a>
    );
  }
  return (
    <AccountForm fields={accountFields} action={ACCOUNTS_PATH}>
      <HiddenField name="account" value={accountId} />
      <button class="quiet" type="submit">
        Switch to <Text>{name}</Text>
      </button>
    </AccountForm>
  );
}

/** `POST /developers/accounts`: switches to another account. If its member was removed in the meantime, the list no longer has it. */
export async function submitAccount(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const token = await switchAccount(deps, request.session, readField(request.form, "account"), request);
  if (token === undefined) return { location: ACCOUNTS_PATH };
  return {
    location: `${AREA_PATH}/sandbox`,
    done: "account-switched",
    cookies: [setCookie("session", token, deps.origin())],
  };
}

/** `GET /developers/quick-start`: the guide, in the frame of the developer area. */
export async function showQuickStart(deps: PageDeps): Promise<PageAnswer> {
  return htmlPage("Quick start", <Guide html={deps.guide("quick-start")} />);
}
