import { randomBytes } from "node:crypto";
import { ConnectError, createRouterTransport } from "@connectrpc/connect";
import { newId } from "@shipping/kit/ids";
import { createLog } from "@shipping/kit/process/log";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { createClients } from "../service-clients/clients.js";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { logSubscriptionChanges, logSubscriptionChangesOnce } from "./log-subscription-changes.js";

const url = "https://shop.example.com/hooks";
const at = "2026-03-01T10:00:00.000Z";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

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
        return { changes: changes.filter(({ id }) => !acknowledged.has(id)).slice(0, 100) };
      },
      acknowledgeChanges({ ids }) {
        answer("acknowledgeChanges");
        for (const id of ids) acknowledged.add(id);
        return {};
      },
    });
  });
  const clients = createClients({ records: transport, carrier: transport, tracking: transport, webhooks: transport });
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ part: "gateway", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  return { deps: { db: gateway.db, clients, log }, away, acknowledged, lines };
}

const entriesOf = async (accountId: string) => {
  const rows = await gateway.prisma.auditEntry.findMany({ where: { accountId, action: { startsWith: "webhook" } } });
  return rows.map(({ id: _, accountId: __, ...entry }) => entry);
};

test("an entry has the actor, action, subject, time and source of a change; a change by an API key names the key", async () => {
  const { accountId, id: named, key } = await gateway.newKey({ name: "Shop server" });
  const { id: unnamed, key: other } = await gateway.newKey({ accountId });
  const foreign = await gateway.newKey();
  const { deps } = webhooksWith([
    { accountId },
    { accountId, action: "disabled", actor: named },
    { accountId, action: "disabled", actor: unnamed },
    { accountId, actor: foreign.id },
  ]);
  expect(await logSubscriptionChangesOnce(deps)).toEqual({ logged: 4 });
  const common = { source: "192.0.2.1", at: new Date(at), environment: "live", subject: "whk_1" };
  const created = { ...common, action: "webhook.created", detail: `${url}: order.created label.created` };
  const disabled = { ...common, action: "webhook.disabled", detail: url };
  const entries = await entriesOf(accountId);
  expect(entries).toHaveLength(4);
  expect(entries).toEqual(
    expect.arrayContaining([
      { ...created, actor: "ada@example.com" },
      { ...disabled, actor: `API key Shop server, ends in ${key.slice(-4)}` },
      { ...disabled, actor: `API key, ends in ${other.slice(-4)}` },
      { ...created, actor: foreign.id },
    ]),
  );
});

test("entries are stored once, although a lost acknowledgement is repeated and several gateways store them", async () => {
  const { accountId } = await gateway.newKey();
  const { deps, away } = webhooksWith(Array.from({ length: 130 }, () => ({ accountId })));
  away.add("acknowledgeChanges");
  await expect(logSubscriptionChangesOnce(deps)).rejects.toThrow("connection refused");
  expect(await entriesOf(accountId)).toHaveLength(100);
  away.clear();
  await Promise.all([
    logSubscriptionChangesOnce(deps),
    logSubscriptionChangesOnce(deps),
    logSubscriptionChangesOnce(deps),
  ]);
  expect(await entriesOf(accountId)).toHaveLength(130);
  expect(await logSubscriptionChangesOnce(deps)).toEqual({ logged: 0 });
});

test("changes are acknowledged only once they are in the audit log", async () => {
  const { accountId } = await gateway.newKey();
  const { deps, acknowledged } = webhooksWith([{ accountId }]);
  await gateway.db.pool.query("ALTER TABLE audit_entries ADD CONSTRAINT closed CHECK (false) NOT VALID");
  await expect(logSubscriptionChangesOnce(deps)).rejects.toThrow("closed");
  expect(acknowledged.size).toBe(0);
  await gateway.db.pool.query("ALTER TABLE audit_entries DROP CONSTRAINT closed");
  expect(await logSubscriptionChangesOnce(deps)).toEqual({ logged: 1 });
});

test("changes of an account that is unknown, or being erased, are skipped, and those of others are written", async () => {
  const [erased, neighbour] = [await gateway.newKey(), await gateway.newKey()];
  await gateway.db.pool.query("UPDATE accounts SET suspended_at = now(), erasing_since = now() WHERE id = $1", [
    erased.accountId,
  ]);
  const { deps } = webhooksWith([{ accountId: "acc_gone" }, erased, neighbour]);
  expect(await logSubscriptionChangesOnce(deps)).toEqual({ logged: 3 });
  expect([await entriesOf(erased.accountId), (await entriesOf(neighbour.accountId)).length]).toEqual([[], 1]);
});

test("while webhooks is unavailable, a warning is logged and the call is repeated", async () => {
  const { accountId } = await gateway.newKey();
  const { deps, away, lines } = webhooksWith([{ accountId }]);
  away.add("listChanges");
  const loop = logSubscriptionChanges(deps);
  loop.wake();
  await loop.stop();
  expect(lines).toMatchObject([{ level: "warn", msg: "subscription changes not yet in the audit log" }]);
  away.clear();
  const again = logSubscriptionChanges(deps);
  again.wake();
  await again.stop();
  expect(await entriesOf(accountId)).toHaveLength(1);
});
