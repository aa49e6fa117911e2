import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "@shipping/kit/ids";
import { eventually } from "@shipping/kit/testing/eventually";
import { unsettled } from "../carrier/audit.js";
import { ADAPTER, startSimulatorProcess } from "../carrier/simulator-process.js";
import { type ClusterUnderTest, startCluster } from "../platform/cluster.js";
import { withFaultPoints } from "../platform/launch-cluster.js";
import { untilDefinite } from "../trials/chaos/retrying-client.js";

const bytes = randomBytes(16);
const accountId = newId("acc", () => bytes);
let folder: string;
let faultFile: string;
let simulator: Awaited<ReturnType<typeof startSimulatorProcess>>;
let cluster: ClusterUnderTest;
let key: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-fault-"));
  faultFile = join(folder, "fault");
  simulator = await startSimulatorProcess(join(folder, "ledger"));
  await simulator.behave({ takesKeys: false });
  cluster = await startCluster([], {
    ...withFaultPoints(faultFile),
    RATE_LIMIT_PER_MINUTE: "1000000",
    TRIAL_CARRIER_MODULE: ADAPTER,
    TRIAL_CARRIER_URL: `${simulator.url}?keys=ignored`,
    TRIAL_CARRIER_ACCOUNT: accountId,
  });
  ({ key } = await cluster.newCustomer("Faults", bytes));
});
afterAll(async () => {
  await cluster.stop();
  await simulator.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => cluster.healthy());

const address = { name: "Ada", street1: "1 Long Lane", city: "Berlin", postal_code: "10115", country: "DE" };
const parcel = { weight_kg: 1, length_cm: 1, width_cm: 1, height_cm: 1 };

async function send(path: string, idempotencyKey: string, body: unknown) {
  const answer = await untilDefinite(cluster.gateways, { method: "POST", path, key, idempotencyKey, body });
  return { status: answer.status, data: JSON.parse(answer.text).data, replayed: answer.replayed };
}

async function newOrder() {
  const { data } = await send("/shipments", newId("k", randomBytes), {
    reference: "f",
    from: address,
    to: address,
    parcel,
  });
  return { shipment_id: data.id, rate_id: `rate_express_${data.id}` };
}

/** The bookings that the carrier will charge for the shipment. */
async function charged(shipmentId: string): Promise<string[]> {
  const ledger = await simulator.ledger();
  return ledger.flatMap((entry) =>
    entry.shipmentReference === shipmentId && !entry.isCancelled ? [entry.trackingNumber] : [],
  );
}

const settled = () => eventually(async () => expect(await unsettled(cluster, accountId)).toBe(0));
const died = () => eventually(() => expect(existsSync(faultFile)).toBe(false));

describe("a carrier that is killed while it books", () => {
  test.each([
    ["before the call", "before-call book"],
    ["after the call", "after-call book"],
    ["before the outcome is recorded", "before-statement"],
    ["after the outcome is recorded", "after-commit"],
  ])("%s: one label, one booking, equal answers", async (_, point) => {
    const order = await newOrder();
    await writeFile(faultFile, point);
    const first = await send("/labels", newId("k", randomBytes), order);
    await died();
    expect(first.status).toBe(201);
    expect(await charged(order.shipment_id)).toEqual([first.data.tracking_number]);
    await settled();
    expect(await charged(order.shipment_id)).toEqual([first.data.tracking_number]);
  });
});

describe("a carrier that is killed while it voids", () => {
  test.each([
    ["before the call", "before-call cancel"],
    ["after the call", "after-call cancel"],
    ["after the void is recorded", "after-commit"],
  ])("%s: the label is voided, and nothing is charged", async (_, point) => {
    const order = await newOrder();
    const { data: label } = await send("/labels", newId("k", randomBytes), order);
    await writeFile(faultFile, point);
    const voided = await send(`/labels/${label.id}/void`, newId("k", randomBytes), {});
    await died();
    expect([voided.status, voided.data.status]).toEqual([200, "voided"]);
    await settled();
    expect(await charged(order.shipment_id)).toEqual([]);
  });
});
