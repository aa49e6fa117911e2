import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { ConnectError, createRouterTransport } from "@connectrpc/connect";
import { newId } from "@shipping/kit/ids";
import { createLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { AcknowledgeChangesResponseSchema, WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { beginErasing } from "../feed/accounts.js";
import { accessUnderTest } from "../testing/access-under-test.js";
import { clientsTo } from "../testing/clients-to.js";
import { portalDatabase } from "../testing/portal-database.js";
import { subscriptionFeed } from "./log-subscription-changes.js";

const url = "https://shop.example.com/hooks";
const at = "2026-03-01T10:00:00.000Z";

let portal: Awaited<ReturnType<typeof portalDatabase>>;
let gateway: ReturnType<typeof accessUnderTest>;
beforeAll(async () => {
  portal = await portalDatabase();
});
afterAll(() => portal.drop());
beforeEach(() => {
  gateway = accessUnderTest();
});

interface Kept {
  accountId: string;
  actor?: string;
  action?: string;
}

/** A webhooks service with unacknowledged changes. The methods in `away` fail. */
function webhooksWith(kept: Kept[]) {
  const changes = kept.map(({ accountId, actor = "ada@example.com", action = "created" }) => ({
    id: newId("aud", randomBytes),
    owner: { accountId, environment: "live" },
    actor: { name: actor, source: "192.0.2.1" },
    action,
    subscriptionId: "whk_1",
    url,
    events: ["order.created", "label.created"],
    at,
  }));
  const away = new Set<"listChanges" | "acknowledgeChanges">();
  const acknowledged = new Set<string>();
  const answer = (call: Parameters<typeof away.has>[0]) => {
    if (away.has(call)) throw new ConnectError("connection refused");
  };
  const transport = createRouterTransport(({ service }) => {
    service(WebhooksService, {
      listChanges() {
        answer("listChanges");
        return { readAt: at, changes: changes.filter(({ id }) => !acknowledged.has(id)).slice(0, 100) };
      },
      acknowledgeChanges({ ids }) {
        answer("acknowledgeChanges");
        for (const id of ids) acknowledged.add(id);
        return {};
      },
    });
  });
  const { clients } = clientsTo(transport);
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ part: "portal", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  return { deps: { db: portal.db, access: gateway.access, clients, log }, away, acknowledged, lines };
}

const entriesOf = async (accountId: string) => {
  const rows = await portal.prisma.auditEntry.findMany({ where: { accountId, action: { startsWith: "webhook" } } });
  return rows.map(({ id: _, accountId: __, ...entry }) => entry);
};

/** An account that the gateway has, and the portal does not know yet. */
const newAccount = () => gateway.change("account.created");

function newKey(accountId: string, name?: string) {
  const key = { id: newId("key", randomBytes), accountId, lastFour: "abcd", ...(name !== undefined && { name }) };
  gateway.keys.push(key);
  return key;
}

test("an entry has the actor, action, subject, time and source of a change; a change by an API key has the name of the account's key", async () => {
  const [accountId, other] = [newAccount(), newAccount()];
  const [named, unnamed, theirs] = [newKey(accountId, "Shop server"), newKey(accountId), newKey(other, "Warehouse")];
  const { deps } = webhooksWith([
    { accountId },
    { accountId, action: "disabled", actor: named.id },
    { accountId, action: "disabled", actor: unnamed.id },
    { accountId, actor: theirs.id },
    { accountId: other, actor: theirs.id },
  ]);
  expect(await subscriptionFeed(deps).once()).toEqual({ stored: 5 });
  const common = { source: "192.0.2.1", at: new Date(at), environment: "live", subject: "whk_1" };
  const created = { ...common, action: "webhook.created", detail: `${url}: order.created label.created` };
  const disabled = { ...common, action: "webhook.disabled", detail: url };
  const entries = await entriesOf(accountId);
  expect(entries).toHaveLength(4);
  expect(entries).toEqual(
    expect.arrayContaining([
      { ...created, actor: "ada@example.com" },
      { ...disabled, actor: "API key Shop server, ends in abcd" },
      { ...disabled, actor: "API key, ends in abcd" },
      { ...created, actor: theirs.id },
    ]),
  );
  expect(await entriesOf(other)).toEqual([{ ...created, actor: "API key Warehouse, ends in abcd" }]);
});

test("entries are stored once, although a lost acknowledgement is repeated and several portals store them", async () => {
  const accountId = newAccount();
  const { deps, away } = webhooksWith(Array.from({ length: 130 }, () => ({ accountId })));
  away.add("acknowledgeChanges");
  await expect(subscriptionFeed(deps).once()).rejects.toThrow("connection refused");
  expect(await entriesOf(accountId)).toHaveLength(100);
  away.clear();
  await Promise.all([subscriptionFeed(deps).once(), subscriptionFeed(deps).once(), subscriptionFeed(deps).once()]);
  expect(await entriesOf(accountId)).toHaveLength(130);
  expect(await subscriptionFeed(deps).once()).toEqual({ stored: 0 });
});

test("changes are acknowledged only once they are in the audit log", async () => {
  const { deps, acknowledged } = webhooksWith([{ accountId: newAccount() }]);
  await portal.db.pool.query("ALTER TABLE audit_entries ADD CONSTRAINT closed CHECK (false) NOT VALID");
  await expect(subscriptionFeed(deps).once()).rejects.toThrow("closed");
  expect(acknowledged.size).toBe(0);
  await portal.db.pool.query("ALTER TABLE audit_entries DROP CONSTRAINT closed");
  expect(await subscriptionFeed(deps).once()).toEqual({ stored: 1 });
});

test("changes of an account that does not exist, or is being erased, are skipped, and those of others are written", async () => {
  const erasingSince = "2026-03-03T10:00:00.000Z";
  const [neighbour, known] = [newAccount(), newAccount()];
  await subscriptionFeed(webhooksWith([{ accountId: known }]).deps).once();
  await beginErasing(portal, known);
  const unknown = gateway.change("account.erasing", { erasingSince });
  const { deps, acknowledged } = webhooksWith(
    ["acc_gone", known, unknown, neighbour].map((accountId) => ({ accountId })),
  );
  expect(await subscriptionFeed(deps).once()).toEqual({ stored: 4 });
  expect(acknowledged.size).toBe(4);
  const counts = [known, unknown, neighbour].map(async (accountId) => (await entriesOf(accountId)).length);
  expect(await Promise.all(counts)).toEqual([1, 0, 1]);
});

test.each(["getAccount", "nameKeys"] as const)(
  "while the gateway does not answer %s, nothing is acknowledged, and nothing is lost",
  async (method) => {
    const accountId = newAccount();
    const key = newKey(accountId, "Shop server");
    const { deps, acknowledged, lines } = webhooksWith([{ accountId, actor: key.id }]);
    gateway.away.add(method);
    await wakeOnce(deps);
    expect(lines).toMatchObject([{ level: "warn", msg: "changes of subscriptions not yet in the audit log" }]);
    expect([acknowledged.size, await entriesOf(accountId)]).toEqual([0, []]);
    gateway.away.clear();
    await wakeOnce(deps);
    expect(await entriesOf(accountId)).toMatchObject([{ actor: "API key Shop server, ends in abcd" }]);
    expect(acknowledged.size).toBe(1);
  },
);

test("while webhooks is unavailable, a warning is logged and the call is repeated", async () => {
  const accountId = newAccount();
  const { deps, away, lines } = webhooksWith([{ accountId }]);
  away.add("listChanges");
  await wakeOnce(deps);
  expect(lines).toMatchObject([{ level: "warn", msg: "changes of subscriptions not yet in the audit log" }]);
  away.clear();
  await wakeOnce(deps);
  expect(await entriesOf(accountId)).toHaveLength(1);
});

test("a stop waits for the page of changes under way, and for no more", async () => {
  const accountId = newAccount();
  const { deps } = webhooksWith([{ accountId }]);
  let asked = 0;
  const listChanges: typeof deps.clients.webhooks.listChanges = (...call) => {
    asked++;
    return deps.clients.webhooks.listChanges(...call);
  };
  // The fake webhooks lists the same changes again and again, because it ignores acknowledgements.
  const acknowledgeChanges: typeof deps.clients.webhooks.acknowledgeChanges = async () =>
    create(AcknowledgeChangesResponseSchema);
  const loop = subscriptionFeed({ ...deps, clients: { webhooks: { listChanges, acknowledgeChanges } } }).follow();
  loop.wake();
  await eventually(() => expect(asked).toBeGreaterThan(2));
  await loop.stop();
  expect(await entriesOf(accountId)).toHaveLength(1);
});

async function wakeOnce(deps: ReturnType<typeof webhooksWith>["deps"]): Promise<void> {
  const loop = subscriptionFeed(deps).follow();
  loop.wake();
  await loop.stop();
}
