import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "@shipping/kit/testing/eventually";
import { countDeliveries, eventsUnderWay, putOffDeliveries } from "@shipping/webhooks/testing/stored-deliveries";
import type { ClusterUnderTest } from "../../../platform/cluster.js";
import type { Manner } from "../../kit/event-receiver.js";
import { type Report, reportOf } from "../../kit/report.js";
import { percentiles } from "../../kit/statistics.js";
import { latencies, stillMissing } from "./arrivals.js";
import { type AcknowledgedOrder, ordersAtOnce, ordersAtRate } from "./order-load.js";
import { newSubscriber, type Subscriber } from "./subscriber.js";

const BAD: readonly Manner[] = ["hangs", "resets", "refuses"];
const WORSE_FACTOR = 1.2;
const WORSE_MS = 5;

/**
 * Measures healthy receivers alone and beside a hanging, a resetting and a refusing one with a long backlog, in turns: for the rounds without
 * them, the backlog is postponed by a day.
 */
export async function badNeighbours(
  cluster: ClusterUnderTest,
  options: { healthy: number; backlog: number; perSecond: number; rounds: number; roundSeconds: number },
): Promise<Report> {
  const customer = await cluster.newCustomer();
  const bad: Subscriber[] = [];
  for (const manner of BAD) bad.push(await newSubscriber(cluster, { manner, customer }));
  const healthy: Subscriber[] = [];
  while (healthy.length < options.healthy) healthy.push(await newSubscriber(cluster));
  const events = Math.ceil(options.backlog / bad.length);
  await ordersAtOnce({ gateways: cluster.gateways, keys: [customer.key], count: events, concurrency: 16 });
  await eventually(() => requireDeliveries(cluster, bad, events * bad.length));

  const beside: number[] = [];
  const alone: number[] = [];
  const target = { gateways: cluster.gateways, keys: healthy.map(({ key }) => key), perSecond: options.perSecond };
  let missing = 0;
  const measure = async () => {
    const { acknowledged } = await ordersAtRate({ ...target, seconds: options.roundSeconds });
    missing += await missingOf(acknowledged, healthy);
    return latencies(
      acknowledged,
      healthy.flatMap(({ arrivals }) => arrivals),
    );
  };
  for (let round = 0; round < options.rounds; round++) {
    await putOff(cluster, bad, 86_400);
    alone.push(...(await measure()));
    await putOff(cluster, bad, 0);
    beside.push(...(await measure()));
  }
  const requestsToBad = Object.fromEntries(BAD.map((manner, at) => [manner, bad[at]?.arrivals.length]));
  await Promise.all([...bad, ...healthy].map((subscriber) => subscriber.close()));

  const [aloneMs, besideMs] = [percentiles(alone), percentiles(beside)];
  return reportOf(
    {
      backlog: events * bad.length,
      healthyReceivers: healthy.length,
      perSecond: options.perSecond,
      missing,
      requestsToBad,
      aloneMs,
      besideMs,
    },
    [
      [missing === 0, "healthy receivers get everything"],
      [
        besideMs.p95 <= Math.max(aloneMs.p95 * WORSE_FACTOR, aloneMs.p95 + WORSE_MS),
        "healthy receivers wait at most 1.2 times as long, or 5 ms longer",
      ],
    ],
  );
}

function missingOf(orders: readonly AcknowledgedOrder[], healthy: readonly Subscriber[]): Promise<number> {
  const arrivals = () => healthy.flatMap((subscriber) => subscriber.arrivals);
  return eventually(async () => {
    const missing = await stillMissing(orders, arrivals(), 0);
    if (missing > 0) throw new Error(`${missing} are missing.`);
    return missing;
  }).catch(() => stillMissing(orders, arrivals(), 0));
}

const idsOf = (subscribers: readonly Subscriber[]) => subscribers.map(({ subscriptionId }) => subscriptionId);

async function requireDeliveries({ databases }: ClusterUnderTest, of: readonly Subscriber[], expected: number) {
  const count = await countDeliveries(databases.webhooks, idsOf(of));
  if (count !== expected) throw new Error(`There are ${count} deliveries instead of ${expected}.`);
}

/** Moves all pending deliveries to that many seconds from now, with no attempts made. If that is later, waits until none is in flight. */
async function putOff({ databases }: ClusterUnderTest, of: readonly Subscriber[], bySeconds: number): Promise<void> {
  await eventually(async () => {
    await putOffDeliveries(databases.webhooks, idsOf(of), bySeconds);
    const underWay = await eventsUnderWay(databases.webhooks, idsOf(of));
    if (bySeconds > 0 && underWay.length > 0) throw new Error(`${underWay.length} are under way.`);
  });
  await sleep(1_000);
}
