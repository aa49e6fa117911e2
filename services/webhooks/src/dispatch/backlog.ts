import sql from "sql-template-tag";
import { clock } from "../subscriptions/deps.js";
import type { DispatchDeps } from "./deps.js";

const MAX_COUNTED = 10_000;

/** Measures what is due and not yet claimed. Replicas show the same numbers: they share the database. */
export function measureBacklog(deps: DispatchDeps): void {
  const help = {
    webhooks_deliveries_due: "Deliveries whose next attempt is due and not claimed yet, counted up to 10,000.",
    webhooks_oldest_due_seconds: "For how long the oldest of them has been due; 0 if there is none.",
  };
  deps.metrics.gauges(help, async () => {
    const { due, oldestSeconds } = await readBacklog(deps);
    return { webhooks_deliveries_due: due, webhooks_oldest_due_seconds: oldestSeconds };
  });
}

/** Reads it from the ready queue and the index of pending deliveries, never from the deliveries at large. */
export async function readBacklog(deps: Pick<DispatchDeps, "db" | "clockOffsetMs">) {
  const [backlog] = await deps.db.run<{ due: number; oldestSeconds: number }>(sql`
    WITH ${clock(deps)},
    due AS (
      SELECT FROM ready_queue AS q CROSS JOIN LATERAL (
        SELECT FROM deliveries AS d
        WHERE d.subscription_id = q.subscription_id AND d.state = 'pending' AND d.next_at <= (SELECT now FROM clock)
        LIMIT ${MAX_COUNTED}) AS of_subscription
      WHERE q.next_due <= (SELECT now FROM clock)
      LIMIT ${MAX_COUNTED})
    SELECT (SELECT count(*) FROM due)::integer AS due,
      greatest(0, extract(epoch FROM now - (SELECT min(next_due) FROM ready_queue)))::float8 AS "oldestSeconds"
    FROM clock`);
  return backlog!;
}
