import { keysOfResults } from "@shipping/kit/testing/stored-writes";
import { PUBLISHERS } from "@shipping/proto/parts";
import { storedEvents } from "@shipping/webhooks/testing/stored-events";
import type { ClusterUnderTest } from "../../../platform/cluster.js";
import { audit, FLAWLESS } from "../../chaos/audit.js";
import type { Acknowledged } from "../../chaos/mixed-load.js";
import { untilDefinite } from "../../chaos/retrying-client.js";
import { withServer } from "./replication.js";

/** A check that runs every minute finds events that were published before a loss and are unpublished after it. */
const SETTLED_MS = 240_000;

/** The keys of the writes whose responses a server holds. */
export async function keysOn(superuserUrl: string): Promise<Set<string>> {
  const rows = await Promise.all(
    PUBLISHERS.map((owner) =>
      withServer(new URL(`/${owner}`, superuserUrl).href, async (client) => (await client.query(keysOfResults)).rows),
    ),
  );
  return new Set(rows.flat().map(({ key }) => key as string));
}

/**
 * Audits a platform on data that lacks some of what was acknowledged: the rest is complete, and each lost order is created anew when its request
 * is repeated. NATS may have delivered events of lost writes again.
 */
export async function judgeLoss(
  cluster: ClusterUnderTest,
  { accountIds, kept, lost }: { accountIds: readonly string[] } & Record<"kept" | "lost", readonly Acknowledged[]>,
) {
  const found = await audit(cluster, accountIds, kept, { settledWithinMs: SETTLED_MS });
  const eventsOfLost = await eventsOf(cluster, lost);
  const again = await repeatOrders(cluster, lost);
  const flaws = { ...found, surplusEvents: 0 };
  return {
    figures: { lost: lost.length, ...again, eventsOfLost, audit: found },
    promises: [
      [lost.length > 0, "No acknowledged write was lost, so this shows nothing."],
      [found.surplusEvents === eventsOfLost, "There are events that belong neither to a kept nor to a lost write."],
      [JSON.stringify(flaws) === JSON.stringify(FLAWLESS), "The audit of the data, and of later writes, found flaws."],
      [again.executedAgain === again.repeated, "A lost order was not created anew when its request was repeated."],
      [again.replayed === again.repeated, "A lost order that was created anew is not replayed."],
    ] as (readonly [boolean, string])[],
  };
}

/** The number of events in webhooks about lost writes. */
async function eventsOf({ databases }: ClusterUnderTest, lost: readonly Acknowledged[]): Promise<number> {
  const rows = await storedEvents(databases.webhooks);
  const told = new Set(lost.map(({ write, id }) => `${id} ${write.path.endsWith("/void")}`));
  return rows.filter(({ type, body }) => told.has(`${JSON.parse(body.toString()).data.id} ${type.endsWith(".voided")}`))
    .length;
}

/** Customers repeat their lost orders: each is to be created again, once. */
async function repeatOrders(cluster: ClusterUnderTest, lost: readonly Acknowledged[]) {
  const orders = lost.filter(({ write }) => write.path === "/orders");
  let [executedAgain, replayed] = [0, 0];
  for (const { write, id } of orders) {
    const anew = await untilDefinite(cluster.gateways, write);
    if (anew.status === 201 && !anew.replayed && JSON.parse(anew.text).data.id !== id) executedAgain++;
    const third = await untilDefinite(cluster.gateways, write);
    if (third.replayed && third.text === anew.text) replayed++;
  }
  return { repeated: orders.length, executedAgain, replayed };
}
