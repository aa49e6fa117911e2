import type { Client } from "@connectrpc/connect";
import type { Loop } from "@shipping/kit/process/loop";
import { answered } from "@shipping/kit/rpc/call-owner";
import type { AccessService, AccountChange } from "@shipping/proto/shipping/access/v1/access_pb";
import sql from "sql-template-tag";
import type { PortalDeps } from "../database/deps.js";
import { upsertAccounts } from "./accounts.js";
import { type Feed, followFeed, followFeedOnce } from "./follow-feed.js";

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
 */
export function followChangesOnce(deps: Deps, isStopping?: () => boolean): Promise<{ stored: number }> {
  const feed: Feed<AccountChange> = {
    name: FEED,
    list: (asked) => answered(deps.access.listChanges(asked, CALL)),
    async store({ changes, readAt }) {
      const accounts = changes.flatMap(({ account }) => account ?? []);
      await upsertAccounts(deps, accounts, readAt);
      await insertEntries(deps, changes);
    },
    acknowledge: (asked) => answered(deps.access.acknowledgeChanges(asked, CALL)),
  };
  return followFeedOnce(deps, feed, isStopping);
}

/** Follows the gateway's changes in the background. */
export function followChanges(deps: Deps): Loop {
  return followFeed(deps, { name: FEED, once: (isStopping) => followChangesOnce(deps, isStopping) });
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
