import type { Environment } from "@shipping/kit/caller";
import sql from "sql-template-tag";
import { LISTED_KEY, type ListedKey } from "../../accounts/manage-keys.js";
import { scopes } from "../../admission/api-key.js";
import { clock, selectColumns } from "../../database/deps.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { cursorOf, PAGE_SIZE, Paging, pageOf } from "../page/paging.js";
import { Chips, Text, Time } from "../page/text.js";

/** `GET …/keys`: the keys of an environment, newest first, with inactive keys at the end. */
export async function showKeys(deps: PageDeps, { session, environment, query }: PageRequest): Promise<PageAnswer> {
  const { accountId } = session;
  const wanted = cursorOf(query, "key");
  const begin =
    wanted === undefined ? null : await deps.prisma.apiKey.findFirst({ where: { id: wanted, accountId, environment } });
  const after = begin?.id;
  const { rows: keys, nextCursor } = await listKeysOfPage(deps, { accountId, environment, after });
  const mayChange = session.role === "admin";
  return shown(
    "API keys",
    <>
      <div class="head">
        <div>
          <h1>{environment === "live" ? "Live API keys" : "Sandbox API keys"}</h1>
          <p>
            Keys for this environment start with{" "}
            <code>{environment === "live" ? "service_live_" : "service_test_"}</code>. For security, only the last four
            characters are shown.
          </p>
        </div>
        {mayChange && keys.length > 0 && <CreateLink environment={environment} />}
      </div>
      {keys.length === 0 ? (
        <div class="empty">
          <p>There are no {environment} keys yet. Create one to call the API.</p>
          {mayChange && <CreateLink environment={environment} />}
        </div>
      ) : (
        <KeyTable keys={keys} revocable={mayChange} environment={environment} />
      )}
      <Paging path={`${AREA_PATH}/${environment}/keys`} after={after} next={nextCursor} />
      <h2>Rotate a key</h2>
      <p>
        Create a new key and switch your program to it. When "Last used" of the old key no longer changes, revoke the
        old key. Your program is not interrupted, and idempotency keys keep working across both keys.
      </p>
    </>,
  );
}

function CreateLink({ environment }: { environment: Environment }) {
  return (
    <a class="button" href={`${AREA_PATH}/${environment}/keys/new`}>
      Create key
    </a>
  );
}

function KeyTable(props: { keys: ListedKeyOfPage[]; revocable: boolean; environment: Environment }) {
  const { keys, revocable, environment } = props;
  return (
    <table>
      <thead>
        <tr>
          {["Name", "Permissions", "Created", "Last used", "Expires", ...(revocable ? ["Revoke"] : [])].map(
            (heading) => (
              <th scope="col">{heading}</th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr class={key.active ? undefined : "over"}>
            <td data-label="Name">
              <span>
                <Text>{nameOf(key)}</Text>
                <code class="sub">…{key.lastFour}</code>
              </span>
            </td>
            <td data-label="Permissions">
              {key.scopes.length === scopes.length ? "Full access" : <Chips words={key.scopes} />}
            </td>
            <td data-label="Created">
              <Time at={key.createdAt} />
            </td>
            <td data-label="Last used">{key.lastUsedAt ? <Time at={key.lastUsedAt} /> : "Never"}</td>
            <td data-label="Expires">
              <Expiry keyShown={key} />
            </td>
            {revocable && (
              <td>
                {key.active && (
                  <a
                    class="danger-link"
                    href={`${AREA_PATH}/${environment}/keys/${key.id}/revoke`}
                    aria-label={`Revoke the key that ends in ${key.lastFour}`}
                  >
                    Revoke
                  </a>
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Expiry({ keyShown }: { keyShown: ListedKeyOfPage }) {
  const { revokedAt, expiresAt, active } = keyShown;
  if (revokedAt) {
    return (
      <span>
        <span class="tag danger">Revoked</span>
        <span class="sub">
          <Time at={revokedAt} />
        </span>
      </span>
    );
  }
  if (!expiresAt) return <span>Never</span>;
  return !active ? (
    <span>
      <span class="tag">Expired</span>
      <span class="sub">
        <Time at={expiresAt} />
      </span>
    </span>
  ) : (
    <Time at={expiresAt} />
  );
}

/** The name of a key. Keys created on the command line may have none. */
export function nameOf({ name }: Pick<ListedKey, "name">): string {
  return name ?? "Unnamed key";
}

/** A key in the area's list. */
export interface ListedKeyOfPage extends ListedKey {
  /** True if the key is valid now. */
  active: boolean;
}

/** Which page of a list of keys: that after a key which is there, or the first one. */
interface WantedKeys {
  accountId: string;
  environment: Environment;
  after: string | undefined;
}

/** A page of an environment's keys: the active ones first, and of each kind the newest first. */
export async function listKeysOfPage(
  deps: Pick<PageDeps, "db" | "clockOffsetMs">,
  { accountId, environment, after = "" }: WantedKeys,
): Promise<ReturnType<typeof pageOf<ListedKeyOfPage>>> {
  const read = await deps.db.run<ListedKeyOfPage>(sql`
    WITH listed AS (
      SELECT ${selectColumns(LISTED_KEY, "api_keys")},
        revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${clock(deps)}) AS active
      FROM api_keys WHERE account_id = ${accountId} AND environment = ${environment})
    SELECT * FROM listed
    WHERE ${after} = '' OR (active, "createdAt", id) < (SELECT active, "createdAt", id FROM listed WHERE id = ${after})
    ORDER BY active DESC, "createdAt" DESC, id DESC LIMIT ${PAGE_SIZE + 1}`);
  return pageOf(read);
}
