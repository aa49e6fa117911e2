import type { Database } from "@shipping/kit/postgres/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { rowsIn } from "@shipping/kit/testing/rows";
import sql from "sql-template-tag";

/** The one delivery of a subscription, or of an event. */
export async function findDelivery(db: Database, where: { subscriptionId: string } | { eventId: string }) {
  type Delivery = { state: string; nextAt: Date | null; leaseUntil: Date | null };
  return (await rowsIn<Delivery>(db, "deliveries", where))[0];
}

/** Counts the deliveries of these subscriptions. */
export async function countDeliveries(db: Database, subscriptionIds: readonly string[]): Promise<number> {
  const [row] = await db.run<{ count: number }>(
    sql`SELECT count(*)::integer AS count FROM deliveries WHERE subscription_id = ANY(${subscriptionIds}::text[])`,
  );
  return row?.count ?? 0;
}

/** The events whose delivery is under way, for these subscriptions or for all. */
export async function eventsUnderWay(db: Database, subscriptionIds?: readonly string[]): Promise<string[]> {
  const where = { state: "in_flight", ...(subscriptionIds && { subscriptionId: subscriptionIds }) };
  return (await rowsIn<{ eventId: string }>(db, "deliveries", where)).map(({ eventId }) => eventId);
}

/** Moves the next attempts of these subscriptions' pending deliveries to this many seconds from now, as if none had been made. */
export async function putOffDeliveries(
  db: Database,
  subscriptionIds: readonly string[],
  seconds: number,
): Promise<void> {
  await db.run(sql`
    UPDATE deliveries SET next_at = clock_timestamp() + ${seconds}::float8 * interval '1 second', attempt = 0
    WHERE subscription_id = ANY(${subscriptionIds}::text[]) AND state = 'pending'`);
}

/** The ready queue's row for a subscription. */
export async function findQueue(db: Database, subscriptionId: string) {
  return (await rowsIn(db, "ready_queue", { subscriptionId }))[0];
}

/** The rows of the ready queue that do not match the deliveries. */
export function inexactRows(db: Database): Promise<unknown[]> {
  return db.run(sql`
    SELECT q.*, d.next_at, d.under_way FROM ready_queue AS q
    CROSS JOIN LATERAL (
      SELECT min(next_at) FILTER (WHERE state = 'pending') AS next_at, count(*) FILTER (WHERE state = 'in_flight') AS under_way
      FROM deliveries WHERE deliveries.subscription_id = q.subscription_id) AS d
    WHERE q.next_due IS DISTINCT FROM d.next_at OR q.in_flight <> d.under_way`);
}

/** Checks that each row of the ready queue matches the deliveries. */
export async function expectExactRows(db: Database): Promise<void> {
  const rows = await inexactRows(db);
  if (rows.length > 0) throw new Error(`The ready queue does not match the deliveries: ${JSON.stringify(rows)}`);
}

/** Gives these subscriptions three failures in a row, and no success since. */
export async function failThrice(db: Database, ...subscriptionIds: string[]): Promise<void> {
  await db.run(sql`UPDATE ready_queue SET fail_streak = 3 WHERE subscription_id = ANY (${subscriptionIds})`);
}

/** Resolves when this many statements wait for a lock. */
export async function waitingForLocks(db: Database, count: number): Promise<void> {
  const locked = sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  await eventually(async () => {
    const { length } = await db.run(locked);
    if (length !== count) throw new Error(`${length} instead of ${count} statements wait for a lock.`);
  });
}
