import { type Backup, backUp, restore } from "@shipping/kit/testing/backup";
import { eventually } from "@shipping/kit/testing/eventually";
import { emptyOutbox } from "@shipping/kit/testing/stored-writes";
import { type Part, parts } from "@shipping/local/parts";
import { auditEntries, storedAccounts } from "@shipping/portal/testing/stored-accounts";
import { storedEvents } from "@shipping/webhooks/testing/stored-events";
import { dataOf, refusal } from "../platform/api-client.js";
import { type Stack, startStack } from "../platform/stack.js";
import { admin, json } from "./admin.js";
import { ask, type Customer, create, newCustomer, type Resource, record } from "./operations.js";

let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await startStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
  await work();
});
afterAll(() => stack.stop());

const labelOf = (shipmentId: string) => ({ shipment_id: shipmentId, rate_id: `rate_test_${shipmentId}` });

/** Does the work of customers and the operator within an hour, and waits until every part has it. The outboxes are empty then, as a minute later. */
async function work(draft?: Resource) {
  const accountId = await stack.newAccount();
  const { id: keyId } = await stack.newKey(accountId);
  const [order, shipment, voided] = [
    await create(customer, "/orders", record),
    await create(customer, "/shipments", record),
    await create(customer, "/shipments", record),
  ];
  const [label, toVoid] = [
    await create(customer, "/labels", labelOf(shipment.id)),
    await create(customer, "/labels", labelOf(voided.id)),
  ];
  await dataOf(200, ask(customer, { method: "POST", path: `/labels/${toVoid.id}/void`, body: {} }));
  const ofDraft = draft && (await create(customer, "/labels", labelOf(draft.id)));
  await eventually(async () => expect(await wrong()).toEqual([]));
  for (const part of ["records", "carrier"] as const) await emptyOutbox(stack.databases[part]);
  return { accountId, keyId, order, shipment, label, voided, toVoid, ...(draft && ofDraft && { draft, ofDraft }) };
}

type Work = Awaited<ReturnType<typeof work>>;

async function wrong(): Promise<string[]> {
  const { out } = await admin(stack, "doctor --deep --wait 0 --json");
  const { findings } = JSON.parse(out) as { findings: { differences?: { problem: string; id: string }[] }[] };
  const found = findings.flatMap(({ differences = [] }) => differences);
  return [...new Set(found.map(({ problem, id }) => `${problem} ${id}`))].sort();
}

/** Restores one database to the time before an hour of work, and the whole platform after the test. */
async function afterRestore(part: Part, test: (made: Work) => Promise<void>, draft?: Resource) {
  const before = await backUp(stack.databases[part]);
  const made = await work(draft);
  const all: [Part, Backup][] = await Promise.all(
    parts.map(async (one) => [one, await backUp(stack.databases[one])] as [Part, Backup]),
  );
  await restore(stack.databases[part], before);
  try {
    await test(made);
  } finally {
    for (const [one, backup] of all) await restore(stack.databases[one], backup);
  }
}

const get = (path: string) => customer.send("GET", path);
const secondLabel = (shipmentId: string) =>
  ask(customer, { method: "POST", path: "/labels", body: labelOf(shipmentId) });

/** Returns the differences that are left after the repair. Events need a moment to arrive again. */
async function leftAfterRepair(): Promise<string[]> {
  await json(stack, "derived repair");
  return eventually(async () => {
    const left = await wrong();
    expect(left.filter((one) => !one.startsWith("lost "))).toEqual([]);
    return left;
  });
}

describe("one database alone is back by an hour", () => {
  test("tracking: its records are missing, and made again", () =>
    afterRestore("tracking", async ({ label, toVoid }) => {
      expect(await wrong()).toEqual([`missing ${label.id}`, `missing ${toVoid.id}`].sort());
      expect(refusal(await get(`/tracking/${label.tracking_number}`))).toBe("404 not_found");
      expect(await leftAfterRepair()).toEqual([]);
      expect(await dataOf(200, get(`/tracking/${label.tracking_number}`))).toMatchObject({ status: "pre_transit" });
      expect(await dataOf(200, get(`/tracking/${toVoid.tracking_number}`))).toMatchObject({ status: "voided" });
    }));

  test("records: what is gone is listed, also the shipments behind labels, which get no second label", () =>
    afterRestore("records", async ({ order, shipment, label, voided, toVoid }) => {
      const gone = [order, shipment, voided, label, toVoid].map(({ id }) => `lost ${id}`).sort();
      const tracked = [label, toVoid].map(({ tracking_number }) => `lost ${tracking_number}`);
      expect((await wrong()).filter((one) => !tracked.includes(one))).toEqual(gone);
      expect(refusal(await secondLabel(shipment.id))).toBe("404 not_found");
      expect(refusal(await get(`/shipments/${shipment.id}`))).toBe("404 not_found");
      expect(await dataOf(200, get(`/labels/${label.id}`))).toMatchObject({ status: "created" });
      expect(await leftAfterRepair()).toEqual(gone);
      expect(await dataOf(200, get(`/tracking/${label.tracking_number}`))).toMatchObject({ status: "pre_transit" });
    }));

  test("records: a shipment that was a draft then gets no second label, and knows its label again", async () => {
    const draft = await create(customer, "/shipments", record);
    const test = async ({ ofDraft }: Work) => {
      expect(await dataOf(200, get(`/shipments/${draft.id}`))).toMatchObject({ status: "draft" });
      expect(await wrong()).toContain(`stale ${ofDraft!.id}`);
      expect(refusal(await secondLabel(draft.id))).toBe("409 label_exists");
      await leftAfterRepair();
      const labelled = { status: "label_created", label_id: ofDraft!.id };
      expect(await dataOf(200, get(`/shipments/${draft.id}`))).toMatchObject(labelled);
    };
    await afterRestore("records", test, draft);
  });

  test("carrier: the labels are listed, and their shipments get no second one", () =>
    afterRestore("carrier", async ({ shipment, label, voided, toVoid }) => {
      const lost = [shipment.id, label.id, label.tracking_number, voided.id, toVoid.id, toVoid.tracking_number];
      expect(await wrong()).toEqual(lost.map((id) => `lost ${id}`).sort());
      expect(refusal(await get(`/labels/${label.id}`))).toBe("404 not_found");
      expect(refusal(await secondLabel(shipment.id))).toBe("409 label_exists");
      expect(refusal(await secondLabel(voided.id))).toBe("409 shipment_voided");
      expect(await leftAfterRepair()).toEqual(lost.map((id) => `lost ${id}`).sort());
      expect(refusal(await secondLabel(shipment.id))).toBe("409 label_exists");
    }));

  test("webhooks: its events are missing, and sent to it again", () =>
    afterRestore("webhooks", async ({ order, shipment, label, voided, toVoid }) => {
      const missing = [order, shipment, label, voided, toVoid].map(({ id }) => `missing ${id}`);
      expect(await wrong()).toEqual(missing.sort());
      const before = (await storedEvents(stack.databases.webhooks)).length;
      expect(await leftAfterRepair()).toEqual([]);
      expect(await storedEvents(stack.databases.webhooks)).toHaveLength(before + 6);
    }));

  test("portal: its accounts and entries are there again", () =>
    afterRestore("portal", async ({ accountId, keyId }) => {
      expect(await leftAfterRepair()).toEqual([]);
      expect(await storedAccounts(stack.databases.portal, accountId)).toHaveLength(1);
      expect(await auditEntries(stack.databases.portal, { subject: keyId })).toHaveLength(1);
    }));

  test("gateway: the accounts and keys that it has lost are listed", () =>
    afterRestore("gateway", async ({ accountId, keyId }) => {
      const [entry] = await auditEntries(stack.databases.portal, { subject: keyId });
      expect(await leftAfterRepair()).toEqual([`lost ${accountId}`, `lost ${entry!.id}`].sort());
    }));
});
