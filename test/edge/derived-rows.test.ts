import { eventually } from "@shipping/kit/testing/eventually";
import { deleteFromOutbox } from "@shipping/kit/testing/stored-writes";
import {
  forgetLabel,
  inventSearch,
  isSearched,
  loseSearch,
  spoilSearch,
} from "@shipping/records/testing/stored-records";
import { forgetVoid, inventTracking, loseTracking, trackingStatus } from "@shipping/tracking/testing/stored-tracking";
import { loseEvent, storedEvents } from "@shipping/webhooks/testing/stored-events";
import { dataOf } from "../platform/api-client.js";
import { type Stack, startStack } from "../platform/stack.js";
import { admin, json } from "./admin.js";
import { ask, type Customer, create, newCustomer, record } from "./operations.js";

interface Finding {
  part: string;
  ok: boolean;
  says: string;
  differences?: { problem: string; id: string; says: string }[];
}

let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await startStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
});
afterAll(() => stack.stop());

/** Returns the sentences of the deep check about derived rows that are wrong. */
async function wrong() {
  const { out } = await admin(stack, "doctor --deep --wait 0 --json");
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  return findings.flatMap(({ part, differences = [] }) =>
    differences.map(({ problem, id }) => `${part} ${problem} ${id}`),
  );
}

const newShipment = () => create(customer, "/shipments", record);

async function newLabel() {
  const shipment = await newShipment();
  const label = await create(customer, "/labels", { shipment_id: shipment.id, rate_id: `rate_test_${shipment.id}` });
  return { shipment, label, number: label.tracking_number! };
}

async function newVoid() {
  const made = await newLabel();
  await dataOf(200, ask(customer, { method: "POST", path: `/labels/${made.label.id}/void`, body: {} }));
  return made;
}

test("missing, stale and surplus rows of each kind are found by the deep check, and repaired by the command", async () => {
  const { records, tracking, webhooks } = stack.databases;
  const [unfound, misnamed] = [await create(customer, "/orders", record), await newShipment()];
  const [behind, untracked, created] = [await newVoid(), await newLabel(), await newVoid()];
  const unsent = await create(customer, "/orders", record);
  await eventually(async () => {
    const arrived = await storedEvents(webhooks, { accountId: customer.accountId });
    expect(arrived).toHaveLength(11);
    expect(await wrong()).toEqual([]);
  });

  await loseSearch(records, "orders", unfound.id);
  await spoilSearch(records, "shipments", misnamed.id);
  await inventSearch(records, "orders", "ord_nowhere", unsent.id);
  await forgetLabel(records, behind.shipment.id);
  await loseTracking(tracking, untracked.number);
  await forgetVoid(tracking, created.number);
  await inventTracking(tracking, "NOWHERE1", created.number);
  const event = (await storedEvents(webhooks)).find(({ body }) => body.includes(unsent.id))!;
  await deleteFromOutbox(records, event.id);
  await loseEvent(webhooks, event.id);

  const planted = [
    `records order_search missing ${unfound.id}`,
    `records shipment_search stale ${misnamed.id}`,
    "records order_search_recent surplus ord_nowhere",
    `carrier shipment_status stale ${behind.label.id}`,
    `carrier tracking_records missing ${untracked.label.id}`,
    `carrier tracking_records stale ${created.label.id}`,
    "carrier tracking_with_label surplus NOWHERE1",
    `records order_events missing ${unsent.id}`,
  ];
  expect((await wrong()).sort()).toEqual(planted.sort());

  await json(stack, "derived repair");
  expect(await wrong()).toEqual([]);
  expect(await isSearched(records, "orders", unfound.id)).toBe(true);
  expect(await isSearched(records, "orders", "ord_nowhere")).toBe(false);
  expect(await trackingStatus(tracking, untracked.number)).toBe("pre_transit");
  expect(await trackingStatus(tracking, created.number)).toBe("voided");
  expect(await trackingStatus(tracking, "NOWHERE1")).toBeUndefined();
  const shipment = await dataOf(200, customer.send("GET", `/shipments/${behind.shipment.id}`));
  expect(shipment).toMatchObject({ status: "voided", label_id: behind.label.id });
  await eventually(async () => {
    const again = (await storedEvents(webhooks)).find(({ id }) => id === event.id);
    expect(again?.body.toString()).toBe(event.body.toString());
  });
});
