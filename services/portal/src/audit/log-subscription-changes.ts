import type { Client } from "@connectrpc/connect";
import { failureIn } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import type { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import type { SubscriptionChange, WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { PortalDeps } from "../database/deps.js";
import { forgetEndpoints } from "../database/endpoint-names.js";
import { requireAccount } from "../feed/accounts.js";
import { createFeed } from "../feed/follow-feed.js";
import type { AuditAction } from "./audit.js";

const CALL = { timeoutMs: 2_000 };

type Deps = Pick<PortalDeps, "db" | "log"> & {
  access: Pick<Client<typeof AccessService>, "getAccount" | "nameKeys">;
  clients: { webhooks: Pick<Client<typeof WebhooksService>, "listChanges" | "acknowledgeChanges"> };
};

const ACTIONS: Record<string, AuditAction> = { created: "webhook.created", disabled: "webhook.disabled" };

/** Webhooks' changes of subscriptions, as entries of the audit log. Endpoints that were disabled lose their names. */
export const subscriptionFeed = (deps: Deps) =>
  createFeed<SubscriptionChange>(deps, {
    name: "subscriptions",
    actions: Object.values(ACTIONS),
    list: (asked) => deps.clients.webhooks.listChanges(asked, CALL),
    async toEntries(changes) {
      const disabled = changes.filter(({ action }) => action === "disabled");
      await forgetEndpoints(
        deps,
        disabled.map(({ owner, subscriptionId }) => ({ accountId: owner?.accountId ?? "", subscriptionId })),
      );
      const names = await nameActors(deps, changes);
      return changes.map((change) => toEntry(change, names));
    },
    acknowledge: (asked) => deps.clients.webhooks.acknowledgeChanges(asked, CALL),
  });

function toEntry(change: SubscriptionChange, names: ReadonlyMap<string, string>) {
  const { id, at, owner, actor, action, subscriptionId: subject, url, events } = change;
  const { accountId = "", environment = "" } = owner ?? {};
  const { name = "", source = "" } = actor ?? {};
  return {
    ...{ id, accountId, at, environment, subject, source },
    actor: names.get(`${accountId} ${name}`) ?? name,
    action: ACTIONS[action] ?? action,
    detail: action === "created" ? `${url}: ${events.join(" ")}` : url,
  };
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
