import type { Client } from "@connectrpc/connect";
import { answered } from "@shipping/kit/rpc/call-owner";
import type { AccessService, AccountChange } from "@shipping/proto/shipping/access/v1/access_pb";
import type { PortalDeps } from "../database/deps.js";
import { upsertAccounts } from "./accounts.js";
import { createFeed } from "./follow-feed.js";

const CALL = { timeoutMs: 2_000 };
/** Changes that are no entries of the audit log. */
const UNLOGGED: ReadonlySet<string> = new Set(["account.created", "account.erasing", "member.wrote"]);

type Deps = Pick<PortalDeps, "db" | "log"> & {
  access: Pick<Client<typeof AccessService>, "listChanges" | "acknowledgeChanges">;
};

/** The gateway's changes of accounts: the accounts as they are now, and the entries of the audit log. */
export const accountFeed = (deps: Deps) =>
  createFeed<AccountChange>(deps, {
    name: "accounts",
    actions: ["account.suspended", "account.resumed", "key.created", "key.revoked", "label.voided"],
    list: (asked) => answered(deps.access.listChanges(asked, CALL)),
    prepare: ({ changes, readAt }) =>
      upsertAccounts(
        deps,
        changes.flatMap(({ account }) => account ?? []),
        readAt,
      ),
    toEntries: (changes) => changes.flatMap(toEntry),
    acknowledge: (asked) => answered(deps.access.acknowledgeChanges(asked, CALL)),
  });

function toEntry({ account, actor, ...change }: AccountChange) {
  if (!account || !actor || UNLOGGED.has(change.action)) return [];
  return [{ ...change, accountId: account.id, actor: actor.name, source: actor.source }];
}
