import sql from "sql-template-tag";
import { clock } from "../subscriptions/deps.js";
import type { Capacity, ClaimedDelivery } from "./attempts.js";
import { LEASE_MS } from "./delivery.js";
import type { DispatchDeps } from "./deps.js";
import { isOnHold, slots, unhealthy } from "./ready-queue.js";

const MAX_SUBSCRIPTIONS = 64;
const MAX_OF_EACH = 4;

/**
 * Claims due deliveries for the free slots, starts their attempts, and returns their number. Zero means that no more can be claimed now.
 */
export function dispatchOnce(deps: DispatchDeps): Promise<number> {
  return deps.attempts.claim(MAX_SUBSCRIPTIONS, async (capacity) =>
    capacity.free > 0 ? claimDue(deps, capacity) : [],
  );
}

/**
 * The claim is fair: of the subscriptions with a due delivery, those with the fewest attempts under way come first, and each gives a few.
 * Their rows in the queue are locked, so the number under way is exact over all replicas; rows that are locked elsewhere are skipped.
 */
function claimDue(deps: DispatchDeps, capacity: Capacity): Promise<ClaimedDelivery[]> {
  return deps.db.run<ClaimedDelivery>(sql`
    WITH ${clock(deps)},
    ready AS (
      SELECT q.subscription_id, ${unhealthy} AS unhealthy, least(${MAX_OF_EACH}, ${slots} - q.in_flight) AS few, s.url, s.secret
      FROM ready_queue AS q CROSS JOIN LATERAL (
        SELECT url, secret FROM subscriptions WHERE id = q.subscription_id AND status = 'active' AND NOT ${isOnHold} OFFSET 0) AS s
      WHERE q.next_due <= (SELECT now FROM clock) AND q.in_flight < ${slots} AND (${capacity.unhealthy} > 0 OR NOT ${unhealthy})
      ORDER BY q.in_flight, q.next_due
      LIMIT ${MAX_SUBSCRIPTIONS}
      FOR UPDATE OF q SKIP LOCKED),
    due AS (
      SELECT ready.*, d.ctid, d.event_id, d.next_at, row_number() OVER (PARTITION BY ready.subscription_id ORDER BY d.next_at) AS turn
      FROM ready CROSS JOIN LATERAL (
        SELECT ctid, event_id, next_at FROM deliveries
        WHERE subscription_id = ready.subscription_id AND state = 'pending' AND next_at <= (SELECT now FROM clock)
        ORDER BY next_at LIMIT ready.few
        FOR UPDATE SKIP LOCKED) AS d),
    ranked AS (
      SELECT due.*, row_number() OVER (PARTITION BY unhealthy ORDER BY turn, next_at) AS rank FROM due),
    picked AS (
      SELECT ranked.*, events.body, coalesce(events.traceparent, '') AS traceparent
      FROM (SELECT * FROM ranked WHERE NOT unhealthy OR rank <= ${capacity.unhealthy} ORDER BY turn, next_at LIMIT ${capacity.free}) AS ranked
      CROSS JOIN LATERAL (SELECT body, traceparent FROM events WHERE id = ranked.event_id OFFSET 0) AS events)
    UPDATE deliveries AS d SET
      state = 'in_flight', attempt = d.attempt + 1, next_at = NULL, claim_id = gen_random_uuid(),
      lease_until = (SELECT now FROM clock) + ${LEASE_MS}::float8 * interval '1 ms'
    FROM picked WHERE d.ctid = picked.ctid
    RETURNING d.account_id AS "accountId", d.subscription_id AS "subscriptionId", d.event_id AS "eventId", d.claim_id AS "claimId", d.attempt,
      picked.unhealthy, picked.url, picked.secret AS "sealedSecret", picked.body, picked.traceparent`);
}
