import sql from "sql-template-tag";
import { clock } from "../subscriptions/deps.js";
import { completeDeliveries, countEnd, type Ended } from "./complete-delivery.js";
import { LEASE_MS, nextStep } from "./delivery.js";
import { type DispatchDeps, jitter } from "./deps.js";

const BATCH = 500;

/** Ends the attempts whose lease has expired as failed, and cancels pending deliveries of disabled subscriptions. Returns how many of each. */
export async function sweepOnce(deps: DispatchDeps): Promise<{ expired: number; cancelled: number }> {
  return { expired: await failExpired(deps), cancelled: await cancelDisabled(deps) };
}

// The end is fenced like any other: if another sweeper or the attempt itself has already written one, the row is left unchanged.
async function failExpired(deps: DispatchDeps): Promise<number> {
  const expired = await deps.db.run<
    Pick<Ended, "accountId" | "subscriptionId" | "eventId" | "claimId"> & { attempt: number }
  >(sql`
    WITH ${clock(deps)}
    SELECT account_id AS "accountId", subscription_id AS "subscriptionId", event_id AS "eventId", claim_id AS "claimId", attempt
    FROM deliveries WHERE state = 'in_flight' AND lease_until < (SELECT now FROM clock)
    LIMIT ${BATCH}`);
  if (expired.length === 0) return 0;
  const ended = expired.map(({ attempt, ...claimed }): Ended => {
    const step = nextStep(attempt, false, () => jitter(deps), deps.clockSpeedup);
    return { ...claimed, step, reason: "lease_expired" };
  });
  const completions = await completeDeliveries(deps, ended);
  const stored = expired.flatMap((claimed, at) => {
    const completion = completions[at];
    return completion ? [{ ...claimed, completion, end: ended[at]! }] : [];
  });
  for (const { subscriptionId, eventId, attempt, completion, end } of stored) {
    countEnd(deps, end, completion);
    deps.log.warn(
      {
        event: eventId,
        subscription: subscriptionId,
        attempt,
        outcome: "failed",
        error: "lease_expired",
        ms: LEASE_MS,
        next_at: completion.nextAt?.toISOString() ?? null,
      },
      "attempt",
    );
  }
  return stored.length;
}

async function cancelDisabled(deps: DispatchDeps): Promise<number> {
  const cancelled = await deps.db.run(sql`
    WITH stopped AS (
      SELECT d.ctid
      FROM ready_queue AS q
        CROSS JOIN LATERAL (SELECT FROM subscriptions WHERE id = q.subscription_id AND status = 'disabled' OFFSET 0) AS s
        CROSS JOIN LATERAL (
          SELECT ctid FROM deliveries
          WHERE subscription_id = q.subscription_id AND state = 'pending' FOR UPDATE SKIP LOCKED) AS d
      WHERE q.next_due IS NOT NULL
      LIMIT ${BATCH})
    UPDATE deliveries AS d SET state = 'cancelled', next_at = NULL
    FROM stopped WHERE d.ctid = stopped.ctid
    RETURNING d.event_id`);
  return cancelled.length;
}
