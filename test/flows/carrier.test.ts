import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { countUnsettled } from "@shipping/carrier/testing/stored-bookings";
import { newId } from "@shipping/kit/ids";
import { eventually } from "@shipping/kit/testing/eventually";
import { runs } from "@shipping/kit/testing/runs";
import { RECORD } from "../api/platform.js";
import { simulatorAt } from "../carrier/simulator-process.js";
import { sharedCluster } from "../platform/cluster.js";
import { playChains } from "../trials/carrier/run-chains.js";
import { untilDefinite } from "../trials/chaos/retrying-client.js";

let cluster: Awaited<ReturnType<typeof sharedCluster>>;
let simulator: ReturnType<typeof simulatorAt>;
let faultFile: string;
let customer: { accountId: string; key: string };
beforeAll(async () => {
  cluster = await sharedCluster();
  simulator = simulatorAt(cluster.carrierUrl);
  faultFile = join(cluster.dataDir, "fault");
  customer = await cluster.newCustomer("Carrier", Buffer.from(cluster.carrierAccount, "hex"));
});
afterAll(() => cluster.stop());
beforeEach(() => cluster.healthy());

// The chains come first, because their audit counts every booking at the carrier.
const FLAWLESS = {
  chargedWithoutLabel: 0,
  labelsWithoutBooking: 0,
  chargedTwice: 0,
  wrongAnswers: 0,
  answersDiffer: 0,
  wrongStates: 0,
  unknownLabels: 0,
  unsettled: 0,
};

describe("a carrier that costs money, and loses, doubles, delays and refuses calls while gateways and carriers are killed", () => {
  test("charges only for existing labels, and every customer ends with one label", async () => {
    const options = { chains: runs(20), clients: 16, killEveryMs: 1_000, rate: 0.15, takesKeys: false };
    const report = await playChains(cluster, simulator, { ...options, ...customer });
    console.log(`chains: ${JSON.stringify(report)}`);
    expect(report.kills).toBeGreaterThan(0);
    expect(report.chains).toBe(runs(20));
    expect([report.wrong, report.audit]).toEqual([[], FLAWLESS]);
  });
});

async function send(path: string, idempotencyKey: string, body: unknown) {
  const answer = await untilDefinite(cluster.gateways, {
    method: "POST",
    path,
    key: customer.key,
    idempotencyKey,
    body,
  });
  return { status: answer.status, data: JSON.parse(answer.text).data, replayed: answer.replayed };
}

async function newOrder() {
  const { data } = await send("/shipments", newId("k", randomBytes), RECORD);
  return { shipment_id: data.id, rate_id: `rate_express_${data.id}` };
}

/** The bookings that the carrier will charge for the shipment. */
async function charged(shipmentId: string): Promise<string[]> {
  const ledger = await simulator.ledger();
  return ledger.flatMap((entry) =>
    entry.shipmentReference === shipmentId && !entry.isCancelled ? [entry.trackingNumber] : [],
  );
}

const settled = () =>
  eventually(async () => expect(await countUnsettled(cluster.databases.carrier, customer.accountId)).toBe(0));
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
