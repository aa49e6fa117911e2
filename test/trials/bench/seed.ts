import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Customer } from "./customers.js";
import type { Target } from "./target.js";

const address = {
  name: "Ada Byron",
  street1: "1 Long Lane",
  city: "London",
  postal_code: "EC1A 9HF",
  country: "GB",
  phone: "+44 20 7946 0000",
};

/** A shipment or order as customers send it. */
export const parcelBody = {
  reference: "Order 1001",
  from: {
    ...address,
    name: "Warehouse",
    street1: "Hafenstr. 12",
    city: "Hamburg",
    postal_code: "20457",
    country: "DE",
  },
  to: address,
  parcel: { weight_kg: 1.2, length_cm: 30, width_cm: 20, height_cm: 10 },
  metadata: { channel: "web", lines: 3 },
};

/** A shipment that was created, and its idempotency key. */
export interface Seeded {
  customer: Customer;
  id: string;
  idempotencyKey: string;
}

/** The resources that cases read: shipments, some of them with labels. */
export interface Seeds {
  shipments: Seeded[];
  /** Ids of labels. */
  labels: Seeded[];
  /** Shipments without a label. */
  drafts: Seeded[];
}

const CLIENTS = 24;

/** Creates that many shipments, and labels, for each customer of a target, through its API. */
export async function seed(target: Target, ofEach: { shipments: number; labels: number }): Promise<Seeds> {
  const { all } = target.customers;
  const shipments = await inParallel(repeated(all, ofEach.shipments), (customer) => createShipment(target, customer));
  const labelled = shipments.slice(0, all.length * ofEach.labels);
  const labels = await inParallel(labelled, (shipment) => createLabel(target, shipment));
  return { shipments, labels, drafts: [] };
}

/** Creates this many shipments, for all customers in turn. */
export function createShipments(target: Target, count: number): Promise<Seeded[]> {
  const customers = Array.from({ length: count }, () => target.customers.next());
  return inParallel(customers, (customer) => createShipment(target, customer));
}

/** Creates a shipment. */
export async function createShipment(target: Target, customer: Customer): Promise<Seeded> {
  const idempotencyKey = randomUUID();
  const answer = await target.call({
    customer,
    method: "POST",
    path: "/shipments",
    body: parcelBody,
    idempotencyKey,
    expect: 201,
  });
  return { customer, id: idIn(answer), idempotencyKey };
}

/** Requests a shipment's rate. */
export async function quoteRate(target: Target, { customer, id }: Seeded): Promise<string> {
  const rates = await target.call({
    customer,
    method: "POST",
    path: "/rates",
    body: { shipment_id: id },
    idempotencyKey: randomUUID(),
    expect: 200,
  });
  return idIn(rates);
}

/** Creates a shipment's label. */
export async function createLabel(target: Target, { customer, id }: Seeded): Promise<Seeded> {
  const idempotencyKey = randomUUID();
  const body = { shipment_id: id, rate_id: `rate_test_${id}` };
  const label = await target.call({ customer, method: "POST", path: "/labels", body, idempotencyKey, expect: 201 });
  return { customer, id: idIn(label), idempotencyKey };
}

// The first ID in a response. Parsing all of it would cost CPU of the load, not of the target.
function idIn(answer: Buffer): string {
  return /"id":"(\w+)"/.exec(answer.toString("latin1"))?.[1] ?? "";
}

function repeated<Item>(items: readonly Item[], times: number): Item[] {
  return Array.from({ length: times }, () => items).flat();
}

async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.values();
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (const item of left) results.push(await patiently(() => work(item)));
    }),
  );
  return results;
}

/** Repeats it until it succeeds: on a busy machine, processes that have just started may time out. */
export async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let left = 20; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
      await sleep(250);
    }
  }
}
