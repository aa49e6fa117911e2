import { randomUUID } from "node:crypto";
import { parcelBody } from "../../kit/bodies.js";
import { inParallel, openLoop } from "../../kit/load.js";
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

interface Target {
  gateways: readonly string[];
  /** Orders use these keys in turn. */
  keys: readonly string[];
}

async function createOrder({ gateways, keys }: Target, load: OrderLoad, number: number): Promise<void> {
  const key = keys[number % keys.length] ?? "";
  const write = { method: "POST", path: "/orders", key, idempotencyKey: randomUUID(), body: parcelBody } as const;
  const { status, text, indefinite } = await untilDefinite(gateways, write);
  const answeredMs = performance.now();
  if (status !== 201) throw new Error(`An order was answered ${status}: ${text}`);
  load.acknowledged.push({ id: JSON.parse(text).data.id, answeredMs });
  for (const reason of indefinite) load.repetitions[reason] = (load.repetitions[reason] ?? 0) + 1;
}

/** Creates orders at a steady rate, independent of the responses, and resolves when all have responses. */
export async function ordersAtRate(target: Target & { perSecond: number; seconds: number }): Promise<OrderLoad> {
  const load: OrderLoad = { acknowledged: [], repetitions: {} };
  let number = 0;
  let failure: Error | undefined;
  const create = () =>
    createOrder(target, load, number++).catch((error) => {
      failure = error;
    });
  await openLoop(create, { rate: target.perSecond, seconds: target.seconds });
  if (failure) throw failure;
  return load;
}

/** Creates this many orders as fast as possible, a few at a time. */
export async function ordersAtOnce(target: Target & { count: number; concurrency: number }): Promise<OrderLoad> {
  const load: OrderLoad = { acknowledged: [], repetitions: {} };
  await inParallel(Array(target.count).keys(), target.concurrency, (number) => createOrder(target, load, number));
  return load;
}
