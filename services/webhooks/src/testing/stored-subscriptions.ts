import type { Caller } from "@shipping/kit/caller";
import type { Database } from "@shipping/kit/postgres/database";
import { rowsIn } from "@shipping/kit/testing/rows";
import sql, { type Sql } from "sql-template-tag";

/** The IDs of the subscriptions of these accounts. */
export async function storedSubscriptions(db: Database, accountIds: readonly string[]): Promise<string[]> {
  return (await rowsIn<{ id: string }>(db, "subscriptions", { accountId: accountIds })).map(({ id }) => id);
}

/** Gives a subscription these types of events, also such as the platform does not have. */
export async function subscribeTo(db: Database, id: string, types: readonly string[]): Promise<void> {
  await db.run(sql`UPDATE subscriptions SET events = ${types}::text[] WHERE id = ${id}`);
}

/** Marks a subscription as disabled, and leaves its deliveries as they are. */
export async function markDisabled(db: Database, id: string): Promise<void> {
  await db.run(sql`UPDATE subscriptions SET status = 'disabled', disabled_at = now() WHERE id = ${id}`);
}

/** The IDs of the stored changes, also of those that the portal has acknowledged. */
export async function storedChanges(db: Database): Promise<string[]> {
  return (await rowsIn<{ id: string }>(db, "subscription_changes")).map(({ id }) => id);
}

/** Counts the changes of an account's subscriptions that the portal has not acknowledged yet. */
export async function countUnreadChanges(db: Database, accountId: string): Promise<number> {
  const rows = await db.run(sql`
    SELECT FROM subscription_changes WHERE account_id = ${accountId} AND acknowledged_at IS NULL`);
  return rows.length;
}

/** A statement that stores an active subscription with so many deliveries, which are due in a day. */
export const manyDeliveries = ({ accountId, environment }: Caller, subscriptionId: string, count: number): Sql => sql`
  WITH subscribed AS (
    INSERT INTO subscriptions (id, account_id, environment, url, events, status, secret, created_at)
    VALUES (${subscriptionId}, ${accountId}, ${environment}, 'https://example.com', ARRAY['order.created'], 'active', '\\x00', now())
    RETURNING id, account_id),
  queued AS (INSERT INTO ready_queue (subscription_id, account_id, next_due) SELECT id, account_id, 'infinity' FROM subscribed)
  INSERT INTO deliveries (account_id, subscription_id, event_id, state, attempt, next_at)
  SELECT ${accountId}, ${subscriptionId}, 'evt_' || n, 'pending', 0, now() + interval '1 day' FROM generate_series(1, ${count}::integer) AS n`;
