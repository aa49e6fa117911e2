import sql from "sql-template-tag";
import { clock } from "../subscriptions/deps.js";
import type { DispatchDeps } from "./deps.js";

/**
 * The ready queue has one row for each subscription. However many deliveries a subscription has, its row says what the dispatcher needs to
 * know of them:
 *
 * - `next_due`: the earliest `next_at` of those that are pending, null if none is.
 * - `in_flight`: how many are in flight.
 * - `fail_streak`: how many attempts have failed in a row. A statement that ends several, with a success among them, makes it 0.
 *
 * `create-subscription.ts` creates the row. After that, two triggers on `deliveries` keep it in step with every statement that writes
 * deliveries: `deliveries_inserted` and `deliveries_updated`, in `prisma/migrations`. A statement could not do that itself: when a pending
 * delivery is taken away, the next one must be searched for under the row's lock, and a statement does not see a delivery that was
 * committed after it began. A deletion needs no trigger, because only deliveries that have ended are deleted.
 *
 * The update trigger locks the rows that it changes, in the order of their IDs. The statements in `accept-event.ts` and
 * `dispatch-deliveries.ts` must read the rows first, so they lock the rows themselves: under the lock, `in_flight` is exact over all
 * replicas.
 */

/** The maximum number of attempts under way per subscription, over all replicas. */
export const MAX_IN_FLIGHT = 8;

/** The same maximum, once `UNHEALTHY_STREAK` attempts in a row have failed. */
const MAX_IN_FLIGHT_UNHEALTHY = 2;
const UNHEALTHY_STREAK = 3;

/** The condition on a row of the queue that the last attempts of its subscription failed. */
export const unhealthy = sql`fail_streak >= ${UNHEALTHY_STREAK}`;

/** Selects, for a row of the queue, how many attempts of its subscription may be in flight. */
export const slots = sql`CASE WHEN ${unhealthy} THEN ${MAX_IN_FLIGHT_UNHEALTHY}::integer ELSE ${MAX_IN_FLIGHT}::integer END`;

/** The condition on a row of `subscriptions` that an operator has put its account's deliveries on hold: they wait, and use up no attempts. */
export const isOnHold = sql`EXISTS (SELECT FROM held_accounts WHERE held_accounts.account_id = subscriptions.account_id)`;

const MAX_COUNTED = 10_000;

/** Measures deliveries that are due and not yet claimed. Replicas show the same numbers: they share the database. */
export function measureBacklog(deps: DispatchDeps): void {
  const help = {
    webhooks_deliveries_due: "Deliveries whose next attempt is due but not claimed yet, counted up to 10,000.",
    webhooks_oldest_due_seconds:
      "Seconds for which the oldest due delivery has waited whose subscription may have more attempts in flight; 0 if there is none.",
  };
  deps.metrics.gauges(help, async () => {
    const { due, oldestSeconds } = await readBacklog(deps);
    return { webhooks_deliveries_due: due, webhooks_oldest_due_seconds: oldestSeconds };
  });
}

// The condition on a row `q` of the queue that its deliveries are on hold.
const queueOnHold = sql`EXISTS (SELECT FROM held_accounts WHERE held_accounts.account_id = q.account_id)`;

/**
 * Reads the backlog from the ready queue and the index of pending deliveries, never from all deliveries. The oldest is one that could be
 * claimed: the dispatcher is not at fault if a delivery waits for its own slow receiver.
 */
export async function readBacklog(deps: Pick<DispatchDeps, "db" | "clockOffsetMs">) {
  const [backlog] = await deps.db.run<{ due: number; oldestSeconds: number }>(sql`
    WITH ${clock(deps)},
    due AS (
      SELECT FROM ready_queue AS q CROSS JOIN LATERAL (
        SELECT FROM deliveries AS d
        WHERE d.subscription_id = q.subscription_id AND d.state = 'pending' AND d.next_at <= (SELECT now FROM clock)
        LIMIT ${MAX_COUNTED}) AS of_subscription
      WHERE q.next_due <= (SELECT now FROM clock) AND NOT ${queueOnHold}
      LIMIT ${MAX_COUNTED})
    SELECT (SELECT count(*) FROM due)::integer AS due,
      greatest(0, extract(epoch FROM now - (
        SELECT next_due FROM ready_queue AS q WHERE next_due IS NOT NULL AND in_flight < ${slots} AND NOT ${queueOnHold}
        ORDER BY next_due LIMIT 1)))::float8 AS "oldestSeconds"
    FROM clock`);
  return backlog!;
}
