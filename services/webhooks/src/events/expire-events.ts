import sql from "sql-template-tag";
import { clock } from "../subscriptions/deps.js";
import type { EventDeps } from "./deps.js";

const BATCH = 500;

/** How much was removed. */
export interface Expired {
  events: number;
  deliveries: number;
  deadEvents: number;
}

/**
 * Removes events that arrived before the retention began, with their deliveries, and dead ones: a small batch, the oldest first. One
 * whose deliveries are not all at their end stays. Nothing that is claimed or pending is locked, and several replicas take
 * different batches.
 */
export async function expireOnce(deps: EventDeps): Promise<Expired> {
  // As an array, since a join with `expired` is a scan of all deliveries to a planner that has no statistics yet.
  const [removed] = await deps.db.run<Expired>(sql`
    WITH ${clock(deps)},
    expired AS (
      SELECT id FROM events AS e
      WHERE received_at < ${retentionBegin(deps)}
        AND NOT EXISTS (SELECT FROM deliveries AS d WHERE d.event_id = e.id AND d.state IN ('pending', 'in_flight'))
      ORDER BY received_at LIMIT ${BATCH}
      FOR UPDATE SKIP LOCKED),
    gone_deliveries AS (DELETE FROM deliveries WHERE event_id = ANY(ARRAY(SELECT id FROM expired)) RETURNING event_id),
    gone_events AS (DELETE FROM events WHERE id = ANY(ARRAY(SELECT id FROM expired)) RETURNING id),
    gone_dead AS (
      DELETE FROM dead_events WHERE id = ANY(ARRAY(
        SELECT id FROM dead_events WHERE received_at < ${retentionBegin(deps)}
        ORDER BY received_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))
      RETURNING id)
    SELECT
      (SELECT count(*) FROM gone_events)::integer AS events,
      (SELECT count(*) FROM gone_deliveries)::integer AS deliveries,
      (SELECT count(*) FROM gone_dead)::integer AS "deadEvents"`);
  return removed!;
}

// An hour more than FilterMissing counts, which goes by the clock of the event's owner: what it takes for missing was never here.
function retentionBegin(deps: EventDeps) {
  return sql`(SELECT now FROM clock) - ${deps.retentionDays}::integer * interval '1 day' - interval '1 hour'`;
}
