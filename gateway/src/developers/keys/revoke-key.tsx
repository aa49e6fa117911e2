import { getKey, revokeKey } from "../../accounts/manage-keys.js";
import { AccountForm } from "../page/form.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { Note, Text, Time } from "../page/text.js";
import { nameOf } from "./keys.js";

const DAY_MS = 86_400_000;

/** `GET …/keys/{id}/revoke`: asks, and says what would break. */
export async function confirmRevoke(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, id, session } = request;
  const list = `${AREA_PATH}/${environment}/keys`;
  const key = await getKey(deps, { id, environment, accountId: session.accountId });
  if (key.revokedAt) return { location: list };
  const isInUse = key.lastUsedAt !== null && deps.now().getTime() - key.lastUsedAt.getTime() < DAY_MS;
  return shown(
    "Revoke a key",
    <>
      <h1>
        Revoke {environment} key …{key.lastFour}?
      </h1>
      <Note kind="danger">
        {isInUse && (
          <p>
            <strong>This key was used in the last 24 hours.</strong> Any program that still uses it stops working
            immediately.
          </p>
        )}
        <p>Requests with this key are refused immediately. You cannot undo this.</p>
      </Note>
      <dl>
        <dt>Name</dt>
        <dd>
          <Text>{nameOf(key)}</Text>
        </dd>
        <dt>Last used</dt>
        <dd>{key.lastUsedAt ? <Time at={key.lastUsedAt} /> : "Never"}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={key.createdAt} />
        </dd>
      </dl>
      <AccountForm>
        <div class="actions">
          <button class="danger-action" type="submit">
            Revoke key
          </button>
          <a href={list}>Cancel</a>
        </div>
      </AccountForm>
    </>,
  );
}

/** `POST …/keys/{id}/revoke`. */
export async function submitRevoke(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, id, session, actor } = request;
  await revokeKey(deps, { id, environment, accountId: session.accountId }, actor);
  return { location: `${AREA_PATH}/${environment}/keys` };
}
