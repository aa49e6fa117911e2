import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parcelBody } from "../kit/bodies.js";
import { inParallel } from "../kit/load.js";
import type { Customer } from "./customers.js";
import type { Target } from "./target.js";

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
  const shipments = await inParallel(repeated(all, ofEach.shipments), CLIENTS, (customer) =>
    patiently(() => createShipment(target, customer)),
  );
  const labelled = shipments.slice(0, all.length * ofEach.labels);
  const labels = await inParallel(labelled, CLIENTS, (shipment) => patiently(() => createLabel(target, shipment)));
  return { shipments, labels, drafts: [] };
}

/** Creates this many shipments, for all customers in turn. */
export function createShipments(target: Target, count: number): Promise<Seeded[]> {
  const customers = Array.from({ length: count }, () => target.customers.next());
  return inParallel(customers, CLIENTS, (customer) => patiently(() => createShipment(target, customer)));
}

/** Sends a write, with a new idempotency key unless one is given. */
export function post(
  target: Target,
  customer: Customer,
  write: { path: string; body: unknown; expect: number; idempotencyKey?: string },
): Promise<Buffer> {
  return target.call({ method: "POST", customer, idempotencyKey: randomUUID(), ...write });
}

/** Creates a shipment. */
export async function createShipment(target: Target, customer: Customer): Promise<Seeded> {
  const idempotencyKey = randomUUID();
  const answer = await post(target, customer, { path: "/shipments", body: parcelBody, expect: 201, idempotencyKey });
  return { customer, id: idIn(answer), idempotencyKey };
}

/** Requests a shipment's rate. */
export async function quoteRate(target: Target, { customer, id }: Seeded): Promise<string> {
  return idIn(await post(target, customer, { path: "/rates", body: { shipment_id: id }, expect: 200 }));
}

/** Creates a shipment's label. */
export async function createLabel(target: Target, { customer, id }: Seeded): Promise<Seeded> {
  const idempotencyKey = randomUUID();
  const body = { shipment_id: id, rate_id: `rate_test_${id}` };
  const label = await post(target, customer, { path: "/labels", body, expect: 201, idempotencyKey });
  return { customer, id: idIn(label), idempotencyKey };
}

// The first ID in a response. Parsing all of it would cost CPU of the load, not of the target.
function idIn(answer: Buffer): string {
  return /"id":"(\w+)"/.exec(answer.toString("latin1"))?.[1] ?? "";
}

function repeated<Item>(items: readonly Item[], times: number): Item[] {
  return Array.from({ length: times }, () => items).flat();
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

/** Subscribes every customer of the platform to the events of new shipments, and returns their secrets. */
export async function subscribeAll(target: Target, urlOf: (customer: number) => string): Promise<string[]> {
  const secrets: string[] = [];
  for (const [at, customer] of target.customers.all.entries()) {
    const create = { path: "/webhooks", body: { url: urlOf(at), events: ["shipment.created"] }, expect: 201 };
    const answer = await patiently(() => post(target, customer, create));
    secrets.push(JSON.parse(answer.toString()).data.secret);
  }
  return secrets;
}
