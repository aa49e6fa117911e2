import { scopes } from "@shipping/api/api-key";
import { fail } from "@shipping/kit/errors";
import type { Key } from "@shipping/proto/shipping/access/v1/access_pb";
import type { ComponentChildren } from "preact";
import { Confirmation, Form, Input } from "../page/form.js";
import { AREA_PATH, ask, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { PAGE_SIZE, Paging, readCursor } from "../page/paging.js";
import { isMissing, MissingPart, readMain, retryMissing } from "../page/part.js";
import { SELECT, Table } from "../page/table.js";
import { AskLink, ButtonLink, ListHead, RowLink, Text, Time } from "../page/text.js";
import { keyName } from "./key-name.js";
import { manyKeysQuery } from "./revoke-keys.js";

const DAY_MS = 86_400_000;

/** The form around the list, with a bar whose button revokes the selected keys. Viewers get the list alone. */
function KeySelection(props: { list: string; mayChange: boolean; children: ComponentChildren }) {
  if (!props.mayChange) return <>{props.children}</>;
  return (
    <Form fields={manyKeysQuery} class="selection" method="get" action={`${props.list}/revoke`}>
      <div class="list-bar">
        <button type="submit" class="merge quiet">
          Revoke selected
        </button>
      </div>
      {props.children}
    </Form>
  );
}

export async function showKeys(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { session, environment, query } = request;
  const after = readCursor(query, "key");
  const read = await readMain(request, (part) => ask(part, deps.access.listKeys, { limit: PAGE_SIZE, after }));
  const { keys, first, nextCursor } = isMissing(read) ? { keys: [], first: true } : read;
  const list = `${AREA_PATH}/${environment}/keys`;
  const mayChange = session.role === "admin";
  const createLink = mayChange && <ButtonLink href={`${list}/new`}>Create key</ButtonLink>;
  const page = htmlPage(
    "API keys",
    <>
      <ListHead
        title={environment === "live" ? "Live API keys" : "Sandbox API keys"}
        add={keys.length > 0 && createLink}
      >
        Keys for this environment start with <code>{environment === "live" ? "service_live_" : "service_test_"}</code>.
        For security, only the last four characters are shown.
      </ListHead>
      {isMissing(read) ? (
        <MissingPart what="The API keys cannot be shown." request={request} />
      ) : keys.length === 0 ? (
        <div class="empty">
          <p>There are no {environment} keys yet. Create one to call the API.</p>
          {createLink}
        </div>
      ) : (
        <KeySelection list={list} mayChange={mayChange}>
          <Table
            class="keys"
            places={{ [SELECT]: "select", Name: "title", Expires: "state", "Last used": "detail", Revoke: "aside" }}
            columns={{
              [SELECT]:
                mayChange &&
                (({ id, lastFour, active }) =>
                  active && (
                    <Input
                      type="checkbox"
                      name="key"
                      value={id}
                      aria-label={`Select the key that ends in ${lastFour}`}
                    />
                  )),
              Name: (key) => <RowLink href={`${list}/${key.id}`}>{`${keyName(key)} …${key.lastFour}`}</RowLink>,
              Permissions: (key) =>
                key.scopes.length === scopes.length ? (
                  "Full access"
                ) : (
                  <span title={key.scopes.join(", ")}>{key.scopes.join(", ")}</span>
                ),
              Created: ({ createdAt }) => <Time at={createdAt} short />,
              "Last used": (key) => <LastUse {...key} now={deps.now()} />,
              Expires: (key) => <Expiry {...key} />,
              Revoke:
                mayChange &&
                (({ id, lastFour, active }) =>
                  active && (
                    <AskLink
                      class="danger-link"
                      href={`${list}/${id}/revoke`}
                      aria-label={`Revoke the key that ends in ${lastFour}`}
                    >
                      Revoke
                    </AskLink>
                  )),
            }}
            actions="Revoke"
            rows={keys}
            rowClass={({ active }) => (active ? undefined : "over")}
          />
        </KeySelection>
      )}
      <Paging path={list} query={query} after={first ? undefined : after} next={nextCursor} />
      <h2>Rotate a key</h2>
      <p>
        Create a new key and switch your program to it. When "Last used" of the old key no longer changes, revoke the
        old key. Your program is not interrupted, and idempotency keys keep working across both keys.
      </p>
    </>,
  );
  return retryMissing(page, request, [read]);
}

/** When a key was last used. One that nobody has used for a month can probably be revoked. */
export function LastUse(props: Pick<Key, "lastUsedAt" | "createdAt" | "active"> & { now: Date }) {
  const { lastUsedAt, createdAt, active, now } = props;
  const isUnused = active && now.getTime() - Date.parse(lastUsedAt ?? createdAt) > UNUSED_DAYS * DAY_MS;
  return (
    <>
      {lastUsedAt ? <Time at={lastUsedAt} short /> : "Never"}
      {isUnused && <span class="tag warning">{`Unused for ${UNUSED_DAYS} days`}</span>}
    </>
  );
}

const UNUSED_DAYS = 30;

export function Expiry({ revokedAt, expiresAt, active }: Pick<Key, "revokedAt" | "expiresAt" | "active">) {
  const endedAt = revokedAt ?? expiresAt;
  if (!endedAt) return <span>Never</span>;
  if (active) return <Time at={endedAt} short />;
  return (
    <>
      <span class="tag">{revokedAt ? "Revoked" : "Expired"}</span> <Time at={endedAt} short />
    </>
  );
}

export async function confirmRevoke(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, id } = request;
  const list = `${AREA_PATH}/${environment}/keys`;
  const { key } = await ask(request, deps.access.getKey, { id });
  if (!key) throw fail("not_found");
  if (key.revokedAt) return { location: list };
  const isInUse = key.lastUsedAt !== undefined && deps.now().getTime() - Date.parse(key.lastUsedAt) < DAY_MS;
  return htmlPage(
    "Revoke a key",
    <Confirmation
      question={`Revoke ${environment} key …${key.lastFour}?`}
      facts={{
        Name: <Text>{keyName(key)}</Text>,
        "Last used": key.lastUsedAt ? <Time at={key.lastUsedAt} /> : "Never",
        Created: <Time at={key.createdAt} />,
      }}
      submit="Revoke key"
      cancel={list}
    >
      {isInUse && (
        <p>
          <strong>This key was used in the last 24 hours.</strong> Any program that still uses it stops working
          immediately.
        </p>
      )}
      <p>Requests with this key are refused immediately. You cannot undo this.</p>
    </Confirmation>,
  );
}

export async function submitRevoke(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, id, actor } = request;
  await ask(request, deps.access.revokeKey, { actor, id });
  return { location: `${AREA_PATH}/${environment}/keys`, done: "key-revoked" };
}
