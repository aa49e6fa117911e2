import type { ClusterUnderTest } from "../../../platform/cluster.js";
import type { Acknowledged } from "../../chaos/mixed-load.js";
import { untilDefinite } from "../../chaos/retrying-client.js";
import { withServer } from "./replication.js";

/** A check that runs every minute finds events that were published before a loss and are unpublished after it. */
export const SETTLED_MS = 240_000;

/** The keys of the writes whose responses a server holds. */
export async function keysOn(superuserUrl: string): Promise<Set<string>> {
  const statement = "SELECT idempotency_key AS key FROM ledger WHERE kind = 'result'";
  const rows = await Promise.all(
    ["records", "carrier"].map((owner) =>
      withServer(new URL(`/${owner}`, superuserUrl).href, async (client) => (await client.query(statement)).rows),
    ),
  );
  return new Set(rows.flat().map(({ key }) => key as string));
}

/** The number of events in webhooks about lost writes: NATS delivered them again. */
export async function eventsOf({ databases }: ClusterUnderTest, lost: readonly Acknowledged[]): Promise<number> {
  const { rows } = await databases.webhooks.pool.query<{ type: string; body: Buffer }>("SELECT type, body FROM events");
  const told = new Set(lost.map(({ write, id }) => `${id} ${write.path.endsWith("/void")}`));
  return rows.filter(({ type, body }) => told.has(`${JSON.parse(body.toString()).data.id} ${type.endsWith(".voided")}`))
    .length;
}

/** Customers repeat their lost orders: each is to be created again, once. */
export async function repeatOrders(cluster: ClusterUnderTest, lost: readonly Acknowledged[]) {
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
