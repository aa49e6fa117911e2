import type { Environment } from "@shipping/kit/caller";
import { type ListedKey, listKeys } from "../admin/manage-keys.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "./page.js";
import { Text, Time } from "./text.js";

type KeyState = "active" | "expired" | "revoked";

/** Whether a key opens anything at this time. */
export function stateOf({ revokedAt, expiresAt }: Pick<ListedKey, "revokedAt" | "expiresAt">, now: Date): KeyState {
  if (revokedAt) return "revoked";
  return expiresAt && expiresAt <= now ? "expired" : "active";
}

/** `GET …/keys`: the keys of an environment, the newest first, those that open nothing any more at the end. */
export async function showKeys(deps: PageDeps, { session, environment }: PageRequest): Promise<PageAnswer> {
  const all = await listKeys(deps, { accountId: session.accountId });
  const now = deps.now();
  const keys = all.filter((key) => key.environment === environment).reverse();
  const [active, over] = [true, false].map((wanted) =>
    keys.filter((key) => (stateOf(key, now) === "active") === wanted),
  ) as [ListedKey[], ListedKey[]];
  const mayChange = session.role === "admin";
  return shown(
    "Keys",
    <>
      <div class="head">
        <div>
          <h1>{environment === "live" ? "Live keys" : "Sandbox keys"}</h1>
          <p>
            They begin with <code>{environment === "live" ? "service_live_" : "service_test_"}</code>. Of each, only the
            last four characters can be seen.
          </p>
        </div>
        {mayChange && keys.length > 0 && <CreateLink environment={environment} />}
      </div>
      {keys.length === 0 ? (
        <div class="empty">
          <p>There is no {environment} key yet. A program needs one to call the API.</p>
          {mayChange && <CreateLink environment={environment} />}
        </div>
      ) : (
        <KeyTable keys={[...active, ...over]} now={now} revocable={mayChange} environment={environment} />
      )}
      <h2>To replace a key</h2>
      <p>
        Create the new one, give it to your program, watch "last used" of the old one until it stands still, then revoke
        the old one. Nothing is interrupted, and idempotency keys hold across both.
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

function KeyTable(props: { keys: ListedKey[]; now: Date; revocable: boolean; environment: Environment }) {
  const { keys, now, revocable, environment } = props;
  return (
    <table>
      <thead>
        <tr>
          {["Name", "May do", "Created", "Last used", "Expires", ...(revocable ? ["Revoke"] : [])].map((heading) => (
            <th scope="col">{heading}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => {
          const state = stateOf(key, now);
          return (
            <tr class={state === "active" ? undefined : "over"}>
              <td data-label="Name">
                <span>
                  <Text>{nameOf(key)}</Text>
                  <code class="sub">…{key.lastFour}</code>
                </span>
              </td>
              <td data-label="May do">
                <span class="scopes">{key.scopes.length === 10 ? "Everything" : key.scopes.join(", ")}</span>
              </td>
              <td data-label="Created">
                <Time at={key.createdAt} />
              </td>
              <td data-label="Last used">{key.lastUsedAt ? <Time at={key.lastUsedAt} /> : "Never"}</td>
              <td data-label="Expires">
                <Expiry keyShown={key} state={state} />
              </td>
              {revocable && (
                <td>
                  {state === "active" && (
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
          );
        })}
      </tbody>
    </table>
  );
}

function Expiry({ keyShown, state }: { keyShown: ListedKey; state: KeyState }) {
  const { revokedAt, expiresAt } = keyShown;
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
  return state === "expired" ? (
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

/** What a key is called; those of the command line may have no name. */
export function nameOf({ name }: Pick<ListedKey, "name">): string {
  return name ?? "Without a name";
}
