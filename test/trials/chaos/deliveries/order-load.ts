import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { untilDefinite } from "../retrying-client.js";

/** An order that was acknowledged, and when, in milliseconds of `performance.now()`. */
export interface AcknowledgedOrder {
  id: string;
  answeredMs: number;
}

/** What a load has done, and how often which answer made it send an order again ("none": no answer at all). */
export interface OrderLoad {
  acknowledged: AcknowledgedOrder[];
  repetitions: Record<string, number>;
}

const address = { name: "Ada", street1: "1 Long Lane", city: "Berlin", postal_code: "10115", country: "DE" };
const parcel = { weight_kg: 1, length_cm: 1, width_cm: 1, height_cm: 1 };
const order = { reference: "deliveries", from: address, to: address, parcel };

interface Target {
  gateways: readonly string[];
  /** Orders take turns among these keys. */
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

/** Creates orders at a steady rate, whatever the answers take, and resolves when all are answered. */
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

/** Creates so many orders as fast as they are answered, a few at a time. */
export async function ordersAtOnce(target: Target & { count: number; concurrency: number }): Promise<OrderLoad> {
  const load: OrderLoad = { acknowledged: [], repetitions: {} };
  let started = 0;
  async function worker(): Promise<void> {
    while (started < target.count) await createOrder(target, load, started++);
  }
  await Promise.all(Array.from({ length: target.concurrency }, worker));
  return load;
}
