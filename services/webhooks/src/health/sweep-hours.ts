import sql from "sql-template-tag";
import { clock, type SubscriptionDeps } from "../subscriptions/deps.js";

/** How far back the health of a subscription reaches. */
export const HEALTH_DAYS = 30;

const BATCH = 5_000;

/** Deletes hours that no page shows any more, one batch at a time. Replicas take different batches. */
export async function sweepHoursOnce(deps: Pick<SubscriptionDeps, "db" | "clockOffsetMs">): Promise<number> {
  let gone = 0;
  for (;;) {
    const deleted = await deps.db.run(sql`
      WITH ${clock(deps)},
      over AS (
        SELECT ctid FROM subscription_hours
        WHERE hour < (SELECT now FROM clock) - ${HEALTH_DAYS}::integer * interval '1 day' - interval '1 hour'
        ORDER BY hour LIMIT ${BATCH}
        FOR UPDATE SKIP LOCKED)
      DELETE FROM subscription_hours WHERE ctid = ANY (ARRAY(SELECT ctid FROM over)) RETURNING hour`);
    gone += deleted.length;
    if (deleted.length < BATCH) return gone;
  }
}
