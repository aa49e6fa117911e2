import { setTimeout as sleep } from "node:timers/promises";
import { newSubscriber, type Subscriber } from "../../chaos/deliveries/subscriber.js";
import type { Acknowledged } from "../../chaos/mixed-load.js";
import { type Report, reportOf, type Say } from "../../kit/report.js";
import { startLoad } from "../load.js";
import { judgeLoss, keysOn } from "./lost-writes.js";
import { startPair } from "./pair.js";

/**
 * The primary is lost while its asynchronous standby is behind: exactly the missing part is lost, in all databases at once. The remaining data is
 * consistent, and a request that is repeated with its key is executed again.
 */
export async function asyncStandby(
  say: Say,
  stages = { beforeMs: 5_000, lagMs: 3_000, downMs: 2_000, afterMs: 8_000 },
): Promise<Report> {
  const pair = await startPair("async", [], { WEBHOOK_ALLOW_PRIVATE_TARGETS: "true" });
  const { cluster } = pair;
  try {
    const customers = await Promise.all([cluster.newCustomer(), cluster.newCustomer()]);
    const subscriber = await newSubscriber(cluster, { customer: customers[0]! });
    const load = await startLoad(cluster, { clients: 8, customers, mayBeGone: true });
    await sleep(stages.beforeMs);
    await pair.cutOffStandby();
    say(`${load.acknowledged()} writes acknowledged; the standby falls behind`);
    await sleep(stages.lagMs);
    await pair.losePrimary();
    await sleep(stages.downMs);
    const [count, held] = [load.acknowledged(), await keysOn(pair.url("postgres-2"))];
    await pair.failOver();
    say(`${count} writes acknowledged; the standby is promoted`);
    await sleep(stages.afterMs);
    const { accountIds, acknowledged, reads } = await load.stop();
    const lost = acknowledged.slice(0, count).filter(({ write }) => !held.has(write.idempotencyKey));
    const kept = acknowledged.filter((one) => !lost.includes(one));
    say(`${acknowledged.length} writes acknowledged, of which the standby lacked ${lost.length}; auditing`);

    const stored = await keysOn(pair.url("postgres-2"));
    const { figures, promises } = await judgeLoss(cluster, { accountIds, kept, lost });
    const told = deliveries(subscriber, { kept, lost });
    await subscriber.close();
    const lostIds = new Set(lost.map(({ id }) => id));
    return reportOf({ ...stages, acknowledged: acknowledged.length, ...told, reads, ...figures }, [
      ...promises,
      [lost.every(({ write }) => !stored.has(write.idempotencyKey)), "A write is there that the standby lacked."],
      [told.keptUndelivered === 0, "An event of a kept order was not delivered."],
      [
        reads.wrong.every((sentence) => lostIds.has(sentence.split(":")[0] ?? "") && sentence.includes("404")),
        "A read answered something else than the order, 503, or 404 for a lost one.",
      ],
    ]);
  } finally {
    await pair.stop();
  }
}

function deliveries(subscriber: Subscriber, { kept, lost }: Record<"kept" | "lost", readonly Acknowledged[]>) {
  const arrived = new Set(subscriber.arrivals.map(({ resourceId }) => resourceId()));
  const ordersOf = (writes: readonly Acknowledged[]) =>
    writes.filter(({ write }) => write.path === "/orders" && write.key === subscriber.key).map(({ id }) => id);
  return {
    keptUndelivered: ordersOf(kept).filter((id) => !arrived.has(id)).length,
    lostDelivered: ordersOf(lost).filter((id) => arrived.has(id)).length,
    deliveredAgain: subscriber.arrivals.length - new Set(subscriber.arrivals.map(({ eventId }) => eventId)).size,
  };
}
