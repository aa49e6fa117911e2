import sql from "sql-template-tag";
import type { FailureReason } from "../health/failure-reason.js";
import { clock } from "../subscriptions/deps.js";
import type { NextStep } from "./delivery.js";
import type { AttemptDeps } from "./deps.js";

/** A finished attempt, and the next state of its delivery. */
export interface Ended {
  accountId: string;
  subscriptionId: string;
  eventId: string;
  claimId: string;
  step: NextStep;
  status?: number | undefined;
  reason?: FailureReason | undefined;
  ms?: number | undefined;
}

/** The end of an attempt, and the time at which the next one is due (null if there is none), both by the database's clock. */
export interface Completion {
  endedAt: Date;
  nextAt: Date | null;
}

/** Stores the result of an attempt; undefined if the claim was no longer ours. */
export type CompleteDelivery = (ended: Ended) => Promise<Completion | undefined>;

/** Counts a stored result, for the metrics and for the health of its subscription. */
export function countEnd(
  deps: Pick<AttemptDeps, "metrics" | "health">,
  { subscriptionId, step, status, reason }: Ended,
  { endedAt: at }: Completion,
): void {
  const delivered = step.state === "delivered";
  deps.metrics.countAttempt({ outcome: delivered ? "delivered" : "failed", ...(reason && { reason }) });
  deps.health.count({ subscriptionId, at, delivered, exhausted: step.state === "exhausted", status, reason });
}

/** Stores the results of attempts in one statement, each fenced by its claim. An attempt ends with its lease at the latest. */
export async function completeDeliveries(
  deps: AttemptDeps,
  ended: readonly Ended[],
): Promise<(Completion | undefined)[]> {
  // `more` is true if their subscriptions had more to claim when the statement began.
  const rows = await deps.db.run<Completion & { claimId: string; more: boolean }>(sql`
    WITH ${clock(deps)},
    locked AS (
      SELECT ended.*, d.ctid, least(d.lease_until, (SELECT now FROM clock)) AS ended_at
      FROM (
        SELECT * FROM unnest(
          ${ended.map((e) => e.accountId)}::text[],
          ${ended.map((e) => e.subscriptionId)}::text[],
          ${ended.map((e) => e.eventId)}::text[],
          ${ended.map((e) => e.claimId)}::uuid[],
          ${ended.map((e) => e.step.state)}::text[],
          ${ended.map((e) => (e.step.state === "pending" ? e.step.waitMs : null))}::float8[],
          ${ended.map((e) => e.status ?? null)}::integer[],
          ${ended.map((e) => e.reason ?? null)}::text[],
          ${ended.map((e) => e.ms ?? null)}::integer[]
        ) AS ended (account_id, subscription_id, event_id, claim_id, state, wait_ms, status, error, ms)
        ORDER BY subscription_id, event_id) AS ended
      CROSS JOIN LATERAL (
        SELECT ctid, lease_until FROM deliveries
        WHERE account_id = ended.account_id AND event_id = ended.event_id AND subscription_id = ended.subscription_id AND claim_id = ended.claim_id
        FOR UPDATE) AS d),
    queue AS (
      SELECT coalesce(bool_or(next_due <= (SELECT now FROM clock)), false) AS more FROM ready_queue
      WHERE subscription_id = ANY (ARRAY(SELECT subscription_id FROM locked)))
    UPDATE deliveries AS d SET
      state = locked.state,
      next_at = locked.ended_at + locked.wait_ms * interval '1 ms',
      lease_until = NULL, claim_id = NULL,
      last_status = locked.status, last_error = locked.error, last_ms = locked.ms, last_ended_at = locked.ended_at
    FROM locked WHERE d.ctid = locked.ctid
    RETURNING locked.claim_id AS "claimId", d.next_at AS "nextAt",
      locked.ended_at AS "endedAt", (SELECT more FROM queue) AS more`);
  if (rows.some((row) => row.more)) deps.wakeDispatcher();
  const completions = new Map(rows.map((row) => [row.claimId, row]));
  return ended.map((e) => completions.get(e.claimId));
}
