import type { Database } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";

/**
 * Lets a subscription that is failing have failed for this many hours, at least three times in a row: the start of the failure and the last
 * success before it are moved into the past. After a day of this, an alert is due.
 */
export async function failedFor(db: Database, subscriptionId: string, hours: number): Promise<void> {
  const moved = await db.run(sql`
    UPDATE subscription_health SET failing_since = failing_since - ${hours}::float8 * interval '1 hour',
      last_success_at = last_success_at - ${hours}::float8 * interval '1 hour'
    WHERE subscription_id = ${subscriptionId} AND failing_since IS NOT NULL RETURNING subscription_id`);
  if (moved.length !== 1) throw new Error(`The subscription ${subscriptionId} is not failing.`);
  await db.run(sql`
    UPDATE ready_queue SET fail_streak = greatest(fail_streak, 3) WHERE subscription_id = ${subscriptionId}`);
}

/** Returns true while a subscription has a failure about which no alert was sent, however short it is. */
export async function awaitsAlert(db: Database, subscriptionId: string): Promise<boolean> {
  const rows = await db.run(sql`
    SELECT FROM subscription_health WHERE subscription_id = ${subscriptionId} AND failing_since IS NOT NULL AND alerted_at IS NULL`);
  return rows.length > 0;
}

/** The attempts of a subscription in one hour. */
export interface AttemptsOfHour {
  delivered?: number;
  failed?: number;
  exhausted?: number;
}

/** Stores the attempts of the present hour and of those before it, the latest first. */
export async function storeHours(
  db: Database,
  subscriptionId: string,
  hours: readonly AttemptsOfHour[],
): Promise<void> {
  const of = (kind: keyof AttemptsOfHour) => hours.map((hour) => Math.round(hour[kind] ?? 0));
  await db.run(sql`
    INSERT INTO subscription_hours (hour, subscription_id, account_id, delivered, failed, exhausted)
    SELECT date_trunc('hour', now(), 'UTC') - (n - 1) * interval '1 hour', id, account_id, delivered, failed, exhausted
    FROM subscriptions, unnest(${of("delivered")}::integer[], ${of("failed")}::integer[], ${of("exhausted")}::integer[])
      WITH ORDINALITY AS attempts (delivered, failed, exhausted, n)
    WHERE id = ${subscriptionId}`);
}

/** Stores that the last success was this many hours ago and the last failure a minute ago, and whether there were nine failures since. */
export async function storeLastAttempts(
  db: Database,
  subscriptionId: string,
  { successHoursAgo, reason, isFailing }: { successHoursAgo: number; reason: string; isFailing: boolean },
): Promise<void> {
  await db.run(sql`
    INSERT INTO subscription_health (subscription_id, account_id, last_success_at, last_failure_at, last_failure_reason, failing_since)
    SELECT id, account_id, success, now() - interval '1 minute', ${reason}, CASE WHEN ${isFailing} THEN success END
    FROM subscriptions, (SELECT now() - ${successHoursAgo}::float8 * interval '1 hour' AS success) AS last
    WHERE id = ${subscriptionId}`);
  if (isFailing) await db.run(sql`UPDATE ready_queue SET fail_streak = 9 WHERE subscription_id = ${subscriptionId}`);
}
