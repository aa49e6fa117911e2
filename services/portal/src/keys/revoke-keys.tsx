import { ID_FIELD } from "@shipping/api/input/fields";
import { isId } from "@shipping/kit/ids";
import type { Key } from "@shipping/proto/shipping/access/v1/access_pb";
import { AccountForm, FormButtons, HiddenField } from "../page/form.js";
import {
  AREA_PATH,
  ask,
  htmlPage,
  type PageAnswer,
  type PageDeps,
  type PageRequest,
  unlessNotFound,
} from "../page/page.js";
import { PAGE_SIZE } from "../page/paging.js";
import { Table } from "../page/table.js";
import { Note, Text, Time } from "../page/text.js";
import { keyName } from "./key-name.js";

const DAY_MS = 86_400_000;

/** The keys to revoke: those of a page of the list. */
export const manyKeysQuery = { key: ID_FIELD };
export const manyKeysFields = { key: { ...ID_FIELD, most: PAGE_SIZE } };

/** `GET …/keys/revoke`: asks before the selected keys are revoked. Those that are no longer active are left out. */
export async function confirmRevokeMany(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, query } = request;
  const list = `${AREA_PATH}/${environment}/keys`;
  const ids = toIds(query.getAll("key"));
  const read = await Promise.all(ids.map((id) => unlessNotFound(ask(request, deps.access.getKey, { id }))));
  const keys = read.flatMap((answer) => (answer?.key?.active ? answer.key : []));
  if (keys.length === 0) return { location: list };
  const isInUse = ({ lastUsedAt }: Key) =>
    lastUsedAt !== undefined && deps.now().getTime() - Date.parse(lastUsedAt) < DAY_MS;
  const used = keys.filter(isInUse).length;
  const question = `Revoke ${keys.length === 1 ? `this ${environment} key` : `these ${keys.length} ${environment} keys`}?`;
  return htmlPage(
    "Revoke keys",
    <>
      <h1>{question}</h1>
      <Note kind="danger">
        {used > 0 && (
          <p>
            <strong>{used === 1 ? "One of them was" : `${used} of them were`} used in the last 24 hours.</strong> Any
            program that still uses such a key stops working immediately.
          </p>
        )}
        <p>Requests with these keys are refused immediately. You cannot undo this.</p>
      </Note>
      <Table
        columns={{
          Name: (key) => (
            <span>
              <Text>{keyName(key)}</Text> <code>…{key.lastFour}</code>
            </span>
          ),
          Created: ({ createdAt }) => <Time at={createdAt} />,
          "Last used": (key) => (
            <>
              {key.lastUsedAt ? <Time at={key.lastUsedAt} /> : "Never"}
              {isInUse(key) && <span class="tag warning">In use</span>}
            </>
          ),
        }}
        rows={keys}
      />
      <AccountForm fields={manyKeysFields}>
        {keys.map(({ id }) => (
          <HiddenField name="key" value={id} />
        ))}
        <FormButtons
          submit={keys.length === 1 ? "Revoke key" : `Revoke ${keys.length} keys`}
          cancel={list}
          isDangerous
        />
      </AccountForm>
    </>,
  );
}

/** `POST …/keys/revoke`: revokes each of the keys. One that is revoked already stays as it is. */
export async function submitRevokeMany(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, form, actor } = request;
  for (const id of toIds(form.get("key") ?? []))
    await unlessNotFound(ask(request, deps.access.revokeKey, { actor, id }));
  return { location: `${AREA_PATH}/${environment}/keys`, done: "keys-revoked" };
}

const toIds = (given: readonly string[]) => [...new Set(given)].filter((id) => isId("key", id)).slice(0, PAGE_SIZE);
