import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { untilDefinite } from "../retrying-client.js";

/** An acknowledged order, and its time in milliseconds of `performance.now()`. */
export interface AcknowledgedOrder {
  id: string;
  answeredMs: number;
}

/** The results of a load: its orders, and how often each response made it repeat a request ("none": no response at all). */
export interface OrderLoad {
  acknowledged: AcknowledgedOrder[];
  repetitions: Record<string, number>;
}

const address = { name: "Ada", street1: "1 Long Lane", city: "Berlin", postal_code: "10115", country: "DE" };
const parcel = { weight_kg: 1, length_cm: 1, width_cm: 1, height_cm: 1 };
const order = { reference: "deliveries", from: address, to: address, parcel };

interface Target {
  gateways: readonly string[];
  /** Orders use these keys in turn. */
  keys: readonly string[];
}

async function createOrder({ gateways, keys }: Target, load: OrderLoad, number: number): Promise<void> {
  const key = keys[number % keys.length] ?? "";
  const write = { method: "POST", path: "/orders", key, idempotencyKey: randomUUID(), body: order } as const;
  const { status, text, indefinite } = await untilDefinite(gateways, write);
  const answeredMs = performance.now();
  if (status !== 201) throw new Error(`An order was answered ${status}: ${text}`);
  load.acknowledged.push({ id: JSON.parse(text).data.id, answeredMs });
  for (const reason of indefinite) load.repetitions[reason] = (load.repetitions[reason] ?? 0) + 1;
}

/** Creates orders at a steady rate, independent of the responses, and resolves when all have responses. */
export async function ordersAtRate(target: Target & { perSecond: number; seconds: number }): Promise<OrderLoad> {
  const load: OrderLoad = { acknowledged: [], repetitions: {} };
  const total = Math.round(target.perSecond * target.seconds);
  const underWay: Promise<void>[] = [];
  const begun = performance.now();
  for (let number = 0; number < total; number++) {
    const dueMs = begun + (number * 1000) / target.perSecond;
    if (dueMs > performance.now()) await sleep(dueMs - performance.now());
    underWay.push(createOrder(target, load, number));
  }
  await Promise.all(underWay);
  return load;
}

/** Creates this many orders as fast as possible, a few at a time. */
export async function ordersAtOnce(target: Target & { count: number; concurrency: number }): Promise<OrderLoad> {
  const load: OrderLoad = { acknowledged: [], repetitions: {} };
  let started = 0;
  async function worker(): Promise<void> {
    while (started < target.count) await createOrder(target, load, started++);
  }
  await Promise.all(Array.from({ length: target.concurrency }, worker));
  return load;
}
