import { type Loop, startLoop } from "@shipping/kit/process/loop";
import type { SubscriptionChange } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { GatewayDeps } from "../database/deps.js";
import type { Clients } from "../service-clients/clients.js";
import type { AuditAction } from "./audit.js";

const EVERY_MS = 5_000;
const CALL = { timeoutMs: 2_000 };

type Deps = Pick<GatewayDeps, "db" | "log"> & { clients: Pick<Clients, "webhooks"> };

const ACTIONS: Record<string, AuditAction> = { created: "webhook.created", disabled: "webhook.disabled" };

/** Webhooks stores each change until it is acknowledged. The ID of the change is the ID of the entry, so each is logged once. */
export async function logSubscriptionChangesOnce(deps: Deps): Promise<{ logged: number }> {
  const total = { logged: 0 };
  for (;;) {
    const { changes } = await deps.clients.webhooks.listChanges({}, CALL);
    if (changes.length === 0) return total;
    await insertEntries(deps, changes);
    await deps.clients.webhooks.acknowledgeChanges({ ids: changes.map(({ id }) => id) }, CALL);
    total.logged += changes.length;
  }
}

/** Runs when a change of a subscription wakes it, and every few seconds in case the wake-up was lost. */
export function logSubscriptionChanges(deps: Deps): Loop {
  const once = () =>
    logSubscriptionChangesOnce(deps).catch((err) => {
      deps.log.warn({ err }, "subscription changes not yet in the audit log");
    });
  return startLoop({ name: "log-subscription-changes", everyMs: EVERY_MS, log: deps.log, once });
}

// The entries are sorted, so that two gateways cannot deadlock. The join skips accounts that do not exist (webhooks was restored from a newer backup
// than the gateway) and accounts whose erasure has begun.
async function insertEntries({ db }: Deps, changes: readonly SubscriptionChange[]): Promise<void> {
  await db.run(sql`
    INSERT INTO audit_entries (id, account_id, at, actor, action, environment, subject, detail, source)
    SELECT changed.id, changed.account_id, changed.at,
      coalesce('API key' || coalesce(' ' || k.name, '') || ', ends in ' || k.last_four, changed.actor),
      changed.action, changed.environment, changed.subject, changed.detail, changed.source
    FROM unnest(
      ${changes.map(({ id }) => id)}::text[], ${changes.map(({ owner }) => owner?.accountId)}::text[],
      ${changes.map(({ at }) => at)}::timestamptz[], ${changes.map(({ actor }) => actor?.name)}::text[],
      ${changes.map(({ action }) => ACTIONS[action] ?? action)}::text[],
      ${changes.map(({ owner }) => owner?.environment)}::text[],
      ${changes.map(({ subscriptionId }) => subscriptionId)}::text[], ${changes.map(describeChange)}::text[],
      ${changes.map(({ actor }) => actor?.source)}::text[]
    ) AS changed (id, account_id, at, actor, action, environment, subject, detail, source)
    JOIN accounts a ON a.id = changed.account_id AND a.erasing_since IS NULL
    LEFT JOIN api_keys k ON k.id = changed.actor AND k.account_id = changed.account_id
    ORDER BY changed.id
    ON CONFLICT (id) DO NOTHING`);
}

function describeChange({ action, url, events }: SubscriptionChange): string {
  return action === "created" ? `${url}: ${events.join(" ")}` : url;
}
