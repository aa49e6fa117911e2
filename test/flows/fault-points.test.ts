import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { adminIn } from "@shipping/cli/testing/admin";
import { accountChanges } from "@shipping/gateway/testing/stored-accounts";
import { openTransaction } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { runs } from "@shipping/kit/testing/runs";
import { tombstone } from "@shipping/kit/testing/writes";
import { auditEntries } from "@shipping/portal/testing/stored-accounts";
import { storedOrders } from "@shipping/records/testing/stored-records";
import { storedEvents } from "@shipping/webhooks/testing/stored-events";
import { countUnreadChanges } from "@shipping/webhooks/testing/stored-subscriptions";
import sql from "sql-template-tag";
import { labelInput, RECORD } from "../api/platform.js";
import { fieldsOf, newVisitor, pathIn } from "../developers/visitor.js";
import { type ClusterUnderTest, sharedCluster } from "../platform/cluster.js";
import { FLAWLESS } from "../trials/chaos/audit.js";
import { FLAWLESS_LINES } from "../trials/chaos/member-forms.js";
import { untilDefinite, type Write } from "../trials/chaos/retrying-client.js";
import { runChaos } from "../trials/chaos/run-chaos.js";

let cluster: ClusterUnderTest;
let faultFile: string;
let customer: { accountId: string; key: string };
beforeAll(async () => {
  cluster = await sharedCluster();
  faultFile = join(cluster.dataDir, "fault");
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  await cluster.healthy();
  customer = await cluster.newCustomer();
});

function write(path: string, idempotencyKey: string, body: unknown = RECORD): Write {
  return { method: "POST", path, key: customer.key, idempotencyKey, body };
}

const make = async (path: string, key: string, body: unknown = RECORD) => {
  const { status, text } = await untilDefinite(cluster.gateways, write(path, key, body));
  expect(status).toBeLessThan(300);
  return JSON.parse(text).data;
};

async function newLabelInput() {
  const shipment = await make("/shipments", "shipment");
  return labelInput(shipment.id);
}

const read = async (path: string) => {
  const answer = await fetch(`${cluster.gateways[0]}${path}`, { headers: { authorization: `Bearer ${customer.key}` } });
  return ((await answer.json()) as { data?: unknown }).data;
};

/** The number of the account's events that have reached webhooks, by type. */
async function arrived(): Promise<string[]> {
  return (await storedEvents(cluster.databases.webhooks, { accountId: customer.accountId }))
    .map(({ type }) => type)
    .sort();
}

async function orders(): Promise<number> {
  return (await storedOrders(cluster.databases.records, customer.accountId)).length;
}

/** A transaction that has written the key's ledger row and stays open. */
async function holdKey(key: string) {
  const holder = await openTransaction(cluster.databases.records);
  const caller = { accountId: customer.accountId, environment: "sandbox" as const };
  await holder.query(tombstone(caller, { idempotencyKey: key, token: 0n }));
  return holder;
}

async function waitingForLocks(): Promise<number> {
  const rows = await cluster.databases.records.run(
    sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows.length;
}

describe("a process that is killed at a point of POST /orders", () => {
  test.each([
    ["after the claim, before the send", "before-send RecordsService/CreateOrder"],
    ["before the owner's statement", "before-statement"],
    ["after the owner's commit, before its answer", "after-commit"],
    ["after the answer, before the done mark", "after-answer RecordsService/CreateOrder"],
    ["before the event is published", "before-publish"],
    ["after the event is published, before it is marked", "after-publish"],
  ])("%s: the retry ends with one order, one event and equal answers", async (_, point) => {
    await writeFile(faultFile, point);
    const first = await untilDefinite(cluster.gateways, write("/orders", "k"));
    await eventually(() => expect(existsSync(faultFile)).toBe(false));
    const again = await untilDefinite(cluster.gateways, write("/orders", "k"));
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again).toMatchObject({ text: first.text, replayed: true });
    expect(await orders()).toBe(1);
    await eventually(async () => expect(await arrived()).toEqual(["order.created"]));
  });

  test("while its statement waits for a row that another holds: one order, whenever that row is let go", async () => {
    const holder = await holdKey("k");
    const answer = untilDefinite(cluster.gateways, write("/orders", "k"));
    try {
      await eventually(async () => expect(await waitingForLocks()).toBeGreaterThan(0));
      await Promise.all([cluster.kill("records-1"), cluster.kill("records-2")]);
    } finally {
      // Ends the connection, and with it the transaction.
      holder.release(true);
    }
    expect((await answer).status).toBe(201);
    expect(await orders()).toBe(1);
    await eventually(async () => expect(await arrived()).toEqual(["order.created"]));
  });
});

describe("a carrier that is killed around the projection of a label", () => {
  test.each([
    ["before the call", "before-send RecordsService/ApplyLabelEvent"],
    ["after the call", "after-answer RecordsService/ApplyLabelEvent"],
    ["after the commit, before any call", "after-commit"],
  ])("%s: one label, equal answers, and shipment and tracking follow", async (_, point) => {
    const input = await newLabelInput();
    await writeFile(faultFile, point);
    const first = await untilDefinite(cluster.gateways, write("/labels", "label", input));
    await eventually(() => expect(existsSync(faultFile)).toBe(false));
    const again = await untilDefinite(cluster.gateways, write("/labels", "label", input));
    expect(first.status).toBe(201);
    expect(again).toMatchObject({ text: first.text, replayed: true });
    const label = JSON.parse(first.text).data;
    await eventually(async () => {
      expect(await read(`/shipments/${input.shipment_id}`)).toMatchObject({
        status: "label_created",
        label_id: label.id,
      });
      expect(await read(`/tracking/${label.tracking_number}`)).toMatchObject({ status: "pre_transit" });
      expect(await arrived()).toEqual(["label.created", "shipment.created"]);
    });
  });
});

describe("a process that is killed around the creation of a subscription", () => {
  const body = { url: "https://shop.example.com/hooks", events: ["order.created"] };

  async function entries(): Promise<string[]> {
    const rows = await auditEntries(cluster.databases.portal, { accountId: customer.accountId });
    const ofWebhooks = rows.filter(({ action }) => action.startsWith("webhook."));
    return ofWebhooks.map(({ action, subject, actor }) => `${action} ${subject} ${actor}`);
  }

  const kept = () => countUnreadChanges(cluster.databases.webhooks, customer.accountId);

  test.each([
    ["after the claim, before the send", "before-send WebhooksService/CreateSubscription"],
    ["before the owner's statement", "before-statement"],
    ["after the owner's commit, before its answer", "after-commit"],
    ["after the answer, before the audit log is told", "after-answer WebhooksService/CreateSubscription"],
    ["after the change was read, before its entry is written", "after-answer WebhooksService/ListChanges"],
    ["after the entry is written, before the change is acknowledged", "before-send WebhooksService/AcknowledgeChanges"],
    ["after the change is acknowledged", "after-answer WebhooksService/AcknowledgeChanges"],
  ])("%s: one subscription, its secret, and one entry of the audit log", async (_, point) => {
    await writeFile(faultFile, point);
    const first = await untilDefinite(cluster.gateways, write("/webhooks", "w", body));
    expect(first.status).toBe(201);
    const { id, secret } = JSON.parse(first.text).data;
    expect(secret).toMatch(/^whsec_/);
    await eventually(() => expect(existsSync(faultFile)).toBe(false));
    const again = await untilDefinite(cluster.gateways, write("/webhooks", "w", body));
    expect(again).toMatchObject({ text: first.text, replayed: true });
    await eventually(async () => expect(await kept()).toBe(0));
    const who = `API key, ends in ${customer.key.slice(-4)}`;
    expect(await entries()).toEqual([`webhook.created ${id} ${who}`]);
  });
});

describe("a process that is killed around the void of a label by a member", () => {
  const email = "ada@example.com";
  let portals: string[];

  /** A member of the customer who is signed in. The processes that the test before has killed may still be starting. */
  async function signIn() {
    ({ portals } = await cluster.now());
    const { admin, json } = adminIn(() => ({ DATA_DIR: cluster.dataDir }));
    return eventually(async () => {
      const { status, err } = await admin(`member add --account ${customer.accountId} --email ${email}`);
      if (!err.includes("is a member of")) expect({ status, err }).toEqual({ status: 0, err: "" });
      const { url } = await json(`sign-in-link --account ${customer.accountId}`);
      const visitor = newVisitor(portals[0]!, customer.accountId);
      expect((await visitor.submit(pathIn(url))).status).toBe(303);
      return visitor;
    });
  }

  const entries = async () => {
    const { accountId } = customer;
    const rows = await auditEntries(cluster.databases.portal, { accountId, action: "label.voided" });
    return rows.map(({ actor, subject, detail }) => ({ line: `${actor} ${subject} ${detail}`.trimEnd() }));
  };
  const changes = () =>
    accountChanges(cluster.databases.gateway, { accountId: customer.accountId, action: "label.voided" });

  test.each([
    ["after the form, before the gateway is asked", "before-send AccessService/ExecuteWrite"],
    ["after the claim, before the send", "before-send CarrierService/VoidLabel"],
    ["before the owner's statement", "before-statement"],
    ["after the owner's commit, before its answer", "after-commit"],
    ["after the answer, before the line is closed", "after-answer CarrierService/VoidLabel"],
    ["after the gateway's answer, before the page", "after-answer AccessService/ExecuteWrite"],
    ["after the change was read, before its entry is written", "after-answer AccessService/ListChanges"],
    ["after the entry is written, before the change is acknowledged", "before-send AccessService/AcknowledgeChanges"],
  ])("%s: the form that is sent again leaves one void and one line of the audit log", async (_, point) => {
    const label = await make("/labels", "label", await newLabelInput());
    const visitor = await signIn();
    const path = `/developers/sandbox/labels/${label.id}/void`;
    const fields = await eventually(async () => {
      const { status, html } = await visitor.get(path);
      expect({ status, html }).toMatchObject({ status: 200 });
      return fieldsOf(html);
    });
    await writeFile(faultFile, point);
    await eventually(async () => {
      for (const portal of portals) {
        const answer = await visitor.post(`${portal}${path}`, fields).catch(() => undefined);
        if (answer?.status === 303) return;
      }
      throw new Error("The form is not done.");
    });
    await eventually(() => expect(existsSync(faultFile)).toBe(false));
    await eventually(async () => expect(await read(`/labels/${label.id}`)).toMatchObject({ status: "voided" }));
    const line = `${email} ${label.id} ${label.tracking_number}`;
    await eventually(async () => expect(await entries()).toEqual([{ line }]));
    const { id: subject, tracking_number: detail } = label;
    expect(await changes()).toMatchObject([{ actor: email, subject, detail, checkAt: null }]);
  });
});

test(
  "under kill -9 of a random process every second nothing acknowledged is lost or doubled, replays are equal, statuses agree, every operation has its event",
  async () => {
    const report = await runChaos(cluster, { operations: runs(150), clients: 8, killEveryMs: 1_000, forms: 4 });
    console.log(`chaos: ${JSON.stringify(report)}`);
    expect(report.kills).toBeGreaterThan(0);
    expect(report.audit).toEqual(FLAWLESS);
    expect(report.lines).toEqual(FLAWLESS_LINES);
  },
  runs(360_000),
);
