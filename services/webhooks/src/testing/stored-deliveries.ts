import type { Database } from "@shipping/kit/postgres/database";
import { rowsIn } from "@shipping/kit/testing/rows";
import sql from "sql-template-tag";

/** The one delivery of a subscription, or of an event. */
export async function deliveryOf(db: Database, where: { subscriptionId: string } | { eventId: string }) {
  type Delivery = { state: string; nextAt: Date | null; leaseUntil: Date | null };
  return (await rowsIn<Delivery>(db, "deliveries", where))[0];
}

/** What the ready queue says of a subscription. */
export async function queueOf(db: Database, subscriptionId: string) {
  return (await rowsIn(db, "ready_queue", { subscriptionId }))[0];
}

/** Makes it three failures in a row, and no success since, for these subscriptions. */
export async function failThrice(db: Database, ...subscriptionIds: string[]): Promise<void> {
  await db.run(sql`UPDATE ready_queue SET fail_streak = 3 WHERE subscription_id = ANY (${subscriptionIds})`);
}
