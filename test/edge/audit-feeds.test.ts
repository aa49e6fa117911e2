import { createClient, createRouterTransport } from "@connectrpc/connect";
import { acknowledgeChanges, listChanges } from "@shipping/gateway/access/account-changes";
import { createAccount, setSuspended } from "@shipping/gateway/accounts/manage-accounts";
import { createKey, revokeKey } from "@shipping/gateway/accounts/manage-keys";
import { gatewayDatabase } from "@shipping/gateway/testing/gateway-database";
import { accountChanges, suspensionOf } from "@shipping/gateway/testing/stored-accounts";
import { silentLog } from "@shipping/kit/process/log";
import { toSnapshot } from "@shipping/kit/testing/writes";
import { subscriptionFeed } from "@shipping/portal/audit/log-subscription-changes";
import { accountFeed } from "@shipping/portal/feed/follow-changes";
import { portalDatabase } from "@shipping/portal/testing/portal-database";
import { auditEntries, backUpFeeds, restoreFeeds, storedAccounts } from "@shipping/portal/testing/stored-accounts";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import * as subscriptionChanges from "@shipping/webhooks/subscriptions/changes";
import { createSubscription } from "@shipping/webhooks/subscriptions/create-subscription";
import { disableSubscription } from "@shipping/webhooks/subscriptions/disable-subscription";
import { storedChanges } from "@shipping/webhooks/testing/stored-subscriptions";
import { createRequest, disableRequest, webhooksUnderTest } from "@shipping/webhooks/testing/webhooks-under-test";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
let portal: Awaited<ReturnType<typeof portalDatabase>>;
let follow: () => Promise<{ stored: number }>;
let followSubscriptions: () => Promise<{ stored: number }>;
const webhooks = webhooksUnderTest(beforeEach, afterEach);
beforeEach(async () => {
  [gateway, portal] = await Promise.all([gatewayDatabase(), portalDatabase()]);
  const deps = { db: gateway.db, clockOffsetMs: 0 };
  const ofWebhooks = { db: webhooks.db, clockOffsetMs: 0 };
  const transport = createRouterTransport(({ service }) => {
    service(AccessService, {
      listChanges: (request) => listChanges(deps, request),
      acknowledgeChanges: (request) => acknowledgeChanges(deps, request),
      getAccount: ({ accountId }) => ({ account: { id: accountId, name: "Acme" } }),
    });
    service(WebhooksService, {
      listChanges: (request) => subscriptionChanges.listChanges(ofWebhooks, request),
      acknowledgeChanges: (request) => subscriptionChanges.acknowledgeChanges(ofWebhooks, request),
    });
  });
  const access = createClient(AccessService, transport);
  const clients = { webhooks: createClient(WebhooksService, transport) };
  const common = { db: portal.db, log: silentLog(), access };
  follow = () => accountFeed(common).once();
  followSubscriptions = () => subscriptionFeed({ ...common, clients }).once();
});
afterEach(() => Promise.all([gateway.drop(), portal.drop()]));

const byId = (rows: { id: string }[]) => rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
const entries = async () => byId(await auditEntries(portal.db));

/** The entries that the lines of the gateway make. */
async function linesOfGateway() {
  const rows = await accountChanges(gateway.db);
  const logged = rows.filter(({ action }) => action !== "account.created");
  return byId(
    logged.map(({ checkAt: _, acknowledgedAt: __, ...line }: Record<string, unknown>) => line as { id: string }),
  );
}

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id).sort();
/** The IDs of the entries that the lines of the gateway and of webhooks make. */
const allLines = async () => [...idsOf(await linesOfGateway()), ...(await storedChanges(webhooks.db))].sort();

test("the portal has each line of the gateway once, and the accounts with their state", async () => {
  const { id } = await createAccount(gateway.admin, { name: "Acme" });
  const key = await createKey(gateway.admin, { accountId: id, environment: "live", name: "Shop" });
  expect(await follow()).toEqual({ stored: 2 });
  await revokeKey(gateway.admin, { id: key.id });
  await setSuspended(gateway.admin, id, true);
  await Promise.all([follow(), follow()]);
  // Each line is read once more after its acknowledgement, and then no more.
  await follow();
  expect(await follow()).toEqual({ stored: 0 });
  expect(await entries()).toEqual(await linesOfGateway());
  expect(await entries()).toHaveLength(3);
  const suspendedAt = await suspensionOf(gateway.db, id);
  expect(await storedAccounts(portal.db)).toMatchObject([{ id, name: "Acme", suspendedAt, erasingSince: null }]);
});

test("a portal that is restored from a backup of any moment is filled again", async () => {
  const { id } = await createAccount(gateway.admin, { name: "Acme" });
  const deps = webhooks.replica();
  const change = async () => {
    await setSuspended(gateway.admin, id, true);
    await setSuspended(gateway.admin, id, false);
    const caller = { accountId: id, environment: "live" } as const;
    const { json } = toSnapshot(await createSubscription(deps, createRequest(caller)));
    await disableSubscription(deps, disableRequest(caller, json.id));
  };
  const followBoth = () => Promise.all([follow(), followSubscriptions()]);
  const backup = () => backUpFeeds(portal.db);
  const backups = [await backup()];
  for (let n = 0; n < 3; n++) {
    await change();
    await followBoth();
    backups.push(await backup());
    await followBoth();
    backups.push(await backup());
  }
  expect(await followBoth()).toEqual([{ stored: 0 }, { stored: 0 }]);
  const all = await allLines();
  expect(all).toHaveLength(12);
  for (const one of backups) {
    await restoreFeeds(portal.db, one);
    await followBoth();
    expect(idsOf(await entries())).toEqual(all);
  }
});
