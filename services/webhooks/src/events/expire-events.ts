import sql from "sql-template-tag";
import { clock } from "../subscriptions/deps.js";
import type { EventDeps } from "./read-events.js";

const BATCH = 500;

/**
 * Removes events that arrived before the retention period, with their deliveries, and dead events: a small batch, oldest first. An event
 * with an unfinished delivery stays. Claimed and pending deliveries are not locked, and replicas take different batches.
 */
export async function expireOnce(deps: EventDeps) {
  // The deliveries are found one event at a time, because without statistics, a planner turns a join into a scan of all deliveries.
  const [removed] = await deps.db.run<{ events: number; deliveries: number; deadEvents: number }>(sql`
    WITH ${clock(deps)},
    expired AS (
      SELECT account_id, id FROM events AS e
      WHERE received_at < ${retentionBegin(deps)}
        AND NOT EXISTS (
          SELECT FROM deliveries AS d
          WHERE d.account_id = e.account_id AND d.event_id = e.id AND d.state IN ('pending', 'in_flight'))
      ORDER BY received_at LIMIT ${BATCH}
      FOR UPDATE SKIP LOCKED),
    gone_deliveries AS (
      DELETE FROM deliveries WHERE ctid = ANY(ARRAY(
        SELECT d.ctid FROM expired CROSS JOIN LATERAL (
          SELECT ctid FROM deliveries WHERE account_id = expired.account_id AND event_id = expired.id OFFSET 0) AS d))
      RETURNING event_id),
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

// The retention is one hour longer than in FilterMissing, which goes by the clock of the event's owner: an event that it reports as missing
// was never here.
function retentionBegin(deps: EventDeps) {
  return sql`(SELECT now FROM clock) - ${deps.retentionDays}::integer * interval '1 day' - interval '1 hour'`;
}
