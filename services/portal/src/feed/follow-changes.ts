import type { Client } from "@connectrpc/connect";
import { type Loop, startLoop } from "@shipping/kit/process/loop";
import { answered } from "@shipping/kit/rpc/call-owner";
import type { AccessService, AccountChange, ListChangesResponse } from "@shipping/proto/shipping/access/v1/access_pb";
import sql from "sql-template-tag";
import type { PortalDeps } from "../database/deps.js";
import { upsertAccounts } from "./accounts.js";

const EVERY_MS = 5_000;
const CALL = { timeoutMs: 2_000 };
const FEED = "accounts";
/** Changes that are no entries of the audit log. */
const UNLOGGED: ReadonlySet<string> = new Set(["account.created", "account.erasing", "member.wrote"]);

type Deps = Pick<PortalDeps, "db" | "log"> & {
  access: Pick<Client<typeof AccessService>, "listChanges" | "acknowledgeChanges">;
};

/**
 * Stores the gateway's changes of accounts: the accounts as they are now, and the entries of the audit log. The ID of a change is the ID of its entry, so
 * each is logged once.
 *
 * The time of the last complete pass is stored with the entries, and the gateway also returns what was acknowledged since. Usually that is what this
 * pass has just acknowledged. After a restore, it is what the backup lacks.
 */
export async function followChangesOnce(deps: Deps, isStopping = () => false): Promise<{ stored: number }> {
  const since = await readFeed(deps);
  const list = (after = ""): Promise<ListChangesResponse> => answered(deps.access.listChanges({ since, after }, CALL));
  const first = await list();
  let stored = 0;
  for (let page = first; page.changes.length > 0; page = await list(page.changes.at(-1)?.id)) {
    await storePage(deps, page);
    stored += page.changes.length;
    if (isStopping()) return { stored };
  }
  if (stored > 0) await storeFeed(deps, first.readAt);
  return { stored };
}

/** Runs every few seconds. The audit page does not wait for it, and takes the changes itself. */
export function followChanges(deps: Deps): Loop {
  const once = (isStopping: () => boolean) =>
    followChangesOnce(deps, isStopping).catch((err) => {
      deps.log.warn({ err }, "changes of accounts not yet in the audit log");
    });
  return startLoop({ name: "follow-changes", everyMs: EVERY_MS, log: deps.log, once });
}

async function storePage(deps: Deps, { changes, readAt }: ListChangesResponse): Promise<void> {
  const accounts = changes.flatMap(({ account }) => account ?? []);
  await upsertAccounts(deps, accounts, readAt);
  await insertEntries(deps, changes);
  await answered(deps.access.acknowledgeChanges({ ids: changes.map(({ id }) => id) }, CALL));
}

async function readFeed({ db }: Deps): Promise<string> {
  const [row] = await db.run<{ readAt: Date }>(sql`SELECT read_at AS "readAt" FROM feeds WHERE name = ${FEED}`);
  return (row?.readAt ?? new Date(0)).toISOString();
}

async function storeFeed({ db }: Deps, readAt: string): Promise<void> {
  await db.run(sql`
    INSERT INTO feeds (name, read_at) VALUES (${FEED}, ${readAt}::timestamptz)
    ON CONFLICT (name) DO UPDATE SET read_at = greatest(feeds.read_at, excluded.read_at)`);
}

// The entries are sorted, so that two portals cannot deadlock. The join skips accounts whose erasure has begun.
async function insertEntries({ db }: Deps, changes: readonly AccountChange[]): Promise<void> {
  const logged = changes.filter(({ action }) => !UNLOGGED.has(action));
  if (logged.length === 0) return;
  await db.run(sql`
    INSERT INTO audit_entries (id, account_id, at, actor, action, environment, subject, detail, source)
    SELECT changed.id, changed.account_id, changed.at, changed.actor, changed.action, nullif(changed.environment, ''),
      changed.subject, changed.detail, changed.source
    FROM unnest(
      ${logged.map(({ id }) => id)}::text[], ${logged.map(({ account }) => account?.id)}::text[],
      ${logged.map(({ at }) => at)}::timestamptz[], ${logged.map(({ actor }) => actor?.name)}::text[],
      ${logged.map(({ action }) => action)}::text[], ${logged.map(({ environment }) => environment)}::text[],
      ${logged.map(({ subject }) => subject)}::text[], ${logged.map(({ detail }) => detail)}::text[],
      ${logged.map(({ actor }) => actor?.source)}::text[]
    ) AS changed (id, account_id, at, actor, action, environment, subject, detail, source)
    JOIN accounts a ON a.id = changed.account_id AND a.erasing_since IS NULL
    ORDER BY changed.id
    ON CONFLICT (id) DO NOTHING`);
}
