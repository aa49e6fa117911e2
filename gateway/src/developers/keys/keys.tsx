import { scopes } from "@shipping/api/api-key";
import type { Environment } from "@shipping/kit/caller";
import sql, { type Sql } from "sql-template-tag";
import { LISTED_KEY, type ListedKey } from "../../accounts/manage-keys.js";
import { clock, selectColumns } from "../../database/deps.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { PAGE_SIZE, Paging, readCursor, toPage } from "../page/paging.js";
import { Table } from "../page/table.js";
import { Chips, Text, Time } from "../page/text.js";

export interface KeyRow extends ListedKey {
  active: boolean;
}

export async function showKeys(deps: PageDeps, { session, environment, query }: PageRequest): Promise<PageAnswer> {
  const { accountId } = session;
  const id = readCursor(query, "key");
  const after = id && (await deps.prisma.apiKey.findFirst({ where: { id, accountId, environment } }))?.id;
  const { rows: keys, nextCursor } = await listKeyPage(deps, { accountId, environment, after });
  const mayChange = session.role === "admin";
  const createLink = mayChange && (
    <a class="button" href={`${AREA_PATH}/${environment}/keys/new`}>
      Create key
    </a>
  );
  return htmlPage(
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
        {keys.length > 0 && createLink}
      </div>
      {keys.length === 0 ? (
        <div class="empty">
          <p>There are no {environment} keys yet. Create one to call the API.</p>
          {createLink}
        </div>
      ) : (
        <KeyTable keys={keys} mayRevoke={mayChange} environment={environment} />
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

/** Lists a page of an environment's keys: active ones first, each group newest first. `after` is the ID of an existing key. */
export async function listKeyPage(
  deps: Pick<PageDeps, "db" | "clockOffsetMs">,
  { accountId, environment, after = "" }: { accountId: string; environment: Environment; after?: string | undefined },
): Promise<ReturnType<typeof toPage<KeyRow>>> {
  const isActive = sql`(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${clock(deps)}))`;
  const owned = sql`FROM api_keys WHERE account_id = ${accountId} AND environment = ${environment}`;
  const ofAfter = (column: Sql) => sql`(SELECT ${column} ${owned} AND id = ${after})`;
  // The number of inactive keys has no limit. An index serves both parts, and only the rows of the page are read.
  const rows = await deps.db.runList<KeyRow>(sql`
    SELECT * FROM (
      (SELECT ${selectColumns(LISTED_KEY, "api_keys")}, true AS active ${owned} AND ${isActive}
        AND (${after} = '' OR (${ofAfter(isActive)} AND (created_at, id) < (${ofAfter(sql`created_at`)}, ${after}))))
      UNION ALL
      (SELECT ${selectColumns(LISTED_KEY, "api_keys")}, false ${owned} AND NOT ${isActive}
        AND (created_at, id) < (CASE WHEN ${ofAfter(isActive)} THEN 'infinity' ELSE coalesce(${ofAfter(sql`created_at`)}, 'infinity') END, ${after})
        ORDER BY created_at DESC, id DESC LIMIT ${PAGE_SIZE + 1}::bigint)) AS listed
    ORDER BY active DESC, "createdAt" DESC, id DESC LIMIT ${PAGE_SIZE + 1}::bigint`);
  return toPage(rows);
}

function KeyTable(props: { keys: readonly KeyRow[]; mayRevoke: boolean; environment: Environment }) {
  const { keys, mayRevoke, environment } = props;
  return (
    <Table
      columns={{
        Name: (key) => (
          <span>
            <Text>{keyName(key)}</Text>
            <code class="sub">…{key.lastFour}</code>
          </span>
        ),
        Permissions: (key) => (key.scopes.length === scopes.length ? "Full access" : <Chips words={key.scopes} />),
        Created: ({ createdAt }) => <Time at={createdAt} />,
        "Last used": ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : "Never"),
        Expires: (key) => <Expiry {...key} />,
        Revoke: mayRevoke && ((key) => key.active && <RevokeLink {...key} environment={environment} />),
      }}
      actions="Revoke"
      rows={keys}
      rowClass={({ active }) => (active ? undefined : "over")}
    />
  );
}

function RevokeLink({ id, lastFour, environment }: Pick<KeyRow, "id" | "lastFour"> & { environment: Environment }) {
  return (
    <a
      class="danger-link"
      href={`${AREA_PATH}/${environment}/keys/${id}/revoke`}
      aria-label={`Revoke the key that ends in ${lastFour}`}
    >
      Revoke
    </a>
  );
}

function Expiry({ revokedAt, expiresAt, active }: Pick<KeyRow, "revokedAt" | "expiresAt" | "active">) {
  const endedAt = revokedAt ?? expiresAt;
  if (!endedAt) return <span>Never</span>;
  if (active) return <Time at={endedAt} />;
  return (
    <span>
      {revokedAt ? <span class="tag danger">Revoked</span> : <span class="tag">Expired</span>}
      <span class="sub">
        <Time at={endedAt} />
      </span>
    </span>
  );
}

/** The name of a key. Keys created on the command line may have none. */
export function keyName({ name }: Pick<ListedKey, "name">): string {
  return name ?? "API key";
}
