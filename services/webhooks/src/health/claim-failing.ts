import { create } from "@bufbuild/protobuf";
import {
  type AcknowledgeFailingRequest,
  AcknowledgeFailingResponseSchema,
  ClaimFailingResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import { clock, type SubscriptionDeps } from "../subscriptions/deps.js";
import { type HealthRow, toFailure } from "./read-health.js";

type Deps = Pick<SubscriptionDeps, "db" | "clockOffsetMs">;

interface FailingRow extends Pick<HealthRow, "id" | "url" | "reason" | "failureStatus"> {
  accountId: string;
  environment: string;
  failingSince: Date;
}

/** The time after which a failing subscription is reported. Emails and guides call it a day. */
export const FAILED_FOR_HOURS = 24;
const MAX_CLAIMED = 100;

// These leases are longer than a mailer keeps trying. If a gateway dies with the alerts that it has claimed, another gets them after this
// time. Alerts that still cannot be sent are claimed less and less often, in the end once a day.
const ALERT_LEASE_MINUTES = 15;
const MAX_ALERT_LEASE_HOURS = 24;

/**
 * Claims the alerts about subscriptions that have been failing for a day, each for one client. Leaves out disabled ones, and those that
 * have delivered since, even if a killed process did not write the success.
 */
export async function claimFailing(deps: Deps) {
  const rows = await deps.db.run<FailingRow>(sql`
    WITH ${clock(deps)},
    unalerted AS (
      SELECT h.subscription_id, s.account_id, s.environment, s.url, s.status = 'active' AS is_active, q.fail_streak > 0 AS is_failing
      FROM subscription_health AS h
      JOIN subscriptions AS s ON s.id = h.subscription_id
      JOIN ready_queue AS q ON q.subscription_id = h.subscription_id
      WHERE h.alerted_at IS NULL AND h.failing_since <= (SELECT now FROM clock) - ${FAILED_FOR_HOURS}::integer * interval '1 hour'
        AND (h.alert_lease_until IS NULL OR h.alert_lease_until < (SELECT now FROM clock))
      ORDER BY h.failing_since LIMIT ${MAX_CLAIMED}
      FOR UPDATE OF h SKIP LOCKED),
    claimed AS (
      UPDATE subscription_health AS h SET
        failing_since = CASE WHEN is_failing THEN failing_since END,
        alerted_at = CASE WHEN is_failing AND NOT is_active THEN now END,
        alert_lease_until = CASE WHEN is_failing AND is_active THEN now + least(
          greatest(${ALERT_LEASE_MINUTES}::integer * interval '1 minute', now - failing_since - ${FAILED_FOR_HOURS}::integer * interval '1 hour'),
          ${MAX_ALERT_LEASE_HOURS}::integer * interval '1 hour') END
      FROM unalerted, clock WHERE h.subscription_id = unalerted.subscription_id
      RETURNING h.*)
    SELECT unalerted.subscription_id AS id, unalerted.account_id AS "accountId", unalerted.environment, unalerted.url,
      claimed.failing_since AS "failingSince", claimed.last_failure_reason AS reason, claimed.last_failure_status AS "failureStatus"
    FROM unalerted JOIN claimed USING (subscription_id) WHERE is_failing AND is_active
    ORDER BY claimed.failing_since`);
  return create(ClaimFailingResponseSchema, {
    subscriptions: rows.map((row) => ({
      owner: { accountId: row.accountId, environment: row.environment },
      subscriptionId: row.id,
      url: row.url,
      failingSince: row.failingSince.toISOString(),
      lastFailure: toFailure(row),
    })),
  });
}

/** Stores that an alert was sent, until the subscription delivers again. */
export async function acknowledgeFailing(deps: Deps, { subscriptionIds }: AcknowledgeFailingRequest) {
  await deps.db.run(sql`
    WITH ${clock(deps)},
    locked AS (
      SELECT subscription_id FROM subscription_health
      WHERE subscription_id = ANY (${subscriptionIds}::text[]) AND failing_since IS NOT NULL AND alert_lease_until IS NOT NULL
      ORDER BY subscription_id FOR UPDATE)
    UPDATE subscription_health AS h SET alerted_at = clock.now, alert_lease_until = NULL
    FROM locked, clock WHERE h.subscription_id = locked.subscription_id`);
  return create(AcknowledgeFailingResponseSchema);
}
