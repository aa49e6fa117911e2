import type { Client } from "@connectrpc/connect";
import { failureIn } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import type { Loop } from "@shipping/kit/process/loop";
import type { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import type { SubscriptionChange, WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { PortalDeps } from "../database/deps.js";
import { requireAccount } from "../feed/accounts.js";
import { type Feed, followFeed, followFeedOnce } from "../feed/follow-feed.js";
import type { AuditAction } from "./audit.js";

const CALL = { timeoutMs: 2_000 };
const FEED = "subscriptions";

type Deps = Pick<PortalDeps, "db" | "log"> & {
  access: Pick<Client<typeof AccessService>, "getAccount" | "nameKeys">;
  clients: { webhooks: Pick<Client<typeof WebhooksService>, "listChanges" | "acknowledgeChanges"> };
};

const ACTIONS: Record<string, AuditAction> = { created: "webhook.created", disabled: "webhook.disabled" };

/** Stores webhooks' changes of subscriptions as entries. The ID of a change is the ID of its entry, so each is logged once. */
export function logSubscriptionChangesOnce(deps: Deps, isStopping?: () => boolean): Promise<{ stored: number }> {
  const { webhooks } = deps.clients;
  const feed: Feed<SubscriptionChange> = {
    name: FEED,
    list: (asked) => webhooks.listChanges(asked, CALL),
    store: ({ changes }) => insertEntries(deps, changes),
    acknowledge: (asked) => webhooks.acknowledgeChanges(asked, CALL),
  };
  return followFeedOnce(deps, feed, isStopping);
}

/** Follows webhooks' changes in the background. */
export function logSubscriptionChanges(deps: Deps): Loop {
  return followFeed(deps, { name: FEED, once: (isStopping) => logSubscriptionChangesOnce(deps, isStopping) });
}

// The entries are sorted, so that two portals cannot deadlock. The join skips accounts that the gateway does not have (webhooks was restored from a
// newer backup) and accounts whose erasure has begun.
async function insertEntries(deps: Deps, changes: readonly SubscriptionChange[]): Promise<void> {
  const names = await nameActors(deps, changes);
  await deps.db.run(sql`
    INSERT INTO audit_entries (id, account_id, at, actor, action, environment, subject, detail, source)
    SELECT changed.id, changed.account_id, changed.at, changed.actor, changed.action, changed.environment, changed.subject, changed.detail,
      changed.source
    FROM unnest(
      ${changes.map(({ id }) => id)}::text[], ${changes.map(({ owner }) => owner?.accountId)}::text[],
      ${changes.map(({ at }) => at)}::timestamptz[],
      ${changes.map(({ owner, actor }) => names.get(`${owner?.accountId} ${actor?.name}`) ?? actor?.name)}::text[],
      ${changes.map(({ action }) => ACTIONS[action] ?? action)}::text[],
      ${changes.map(({ owner }) => owner?.environment)}::text[],
      ${changes.map(({ subscriptionId }) => subscriptionId)}::text[], ${changes.map(describeChange)}::text[],
      ${changes.map(({ actor }) => actor?.source)}::text[]
    ) AS changed (id, account_id, at, actor, action, environment, subject, detail, source)
    JOIN accounts a ON a.id = changed.account_id AND a.erasing_since IS NULL
    ORDER BY changed.id
    ON CONFLICT (id) DO NOTHING`);
}

/** Makes sure that the accounts of these changes have rows, and returns the names of the API keys that made them, by account and ID. */
async function nameActors(deps: Deps, changes: readonly SubscriptionChange[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const accountId of new Set(changes.map(({ owner }) => owner?.accountId ?? ""))) {
    await requireAccount(deps, accountId).catch((error) => {
      if (failureIn(error)?.code !== "not_found") throw error;
    });
    const actors = changes.filter(({ owner }) => owner?.accountId === accountId).map(({ actor }) => actor?.name ?? "");
    const ids = [...new Set(actors)].filter((name) => isId("key", name));
    if (ids.length === 0) continue;
    const { keys } = await deps.access.nameKeys({ accountId, ids }, CALL);
    for (const { id, name, lastFour } of keys)
      names.set(`${accountId} ${id}`, `API key${name === undefined ? "" : ` ${name}`}, ends in ${lastFour}`);
  }
  return names;
}

function describeChange({ action, url, events }: SubscriptionChange): string {
  return action === "created" ? `${url}: ${events.join(" ")}` : url;
}
