import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { ownedSql } from "@shipping/kit/postgres/owned/read-owned";
import {
  type GetSubscriptionHealthRequest,
  GetSubscriptionHealthResponseSchema,
  type ListSubscriptionHealthRequest,
  ListSubscriptionHealthResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql, { type Sql } from "sql-template-tag";
import { clock, type SubscriptionDeps } from "../subscriptions/deps.js";
import { HEALTH_DAYS } from "./keep-health.js";

type Deps = Pick<SubscriptionDeps, "db" | "clockOffsetMs">;

export interface HealthRow {
  id: string;
  url: string;
  status: string;
  isFailing: boolean;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  failingSince: Date | null;
  reason: string | null;
  failureStatus: number | null;
}

interface DetailedRow extends HealthRow {
  pending: number;
  exhausted: number;
  hours: { hour: string; delivered: number; failed: number }[];
}

const MAX_LISTED = 100;
const MAX_PENDING = 1_001;
const HOURS_SHOWN = 24;

// A killed process may have counted a success without writing it. The ready queue knows the success from the delivery's own statement.
const healthColumns = sql`
  s.id, s.url, s.status, h.failing_since IS NOT NULL AND q.fail_streak > 0 AS "isFailing",
  h.last_success_at AS "lastSuccessAt", h.last_failure_at AS "lastFailureAt", h.failing_since AS "failingSince",
  h.last_failure_reason AS reason, h.last_failure_status AS "failureStatus"`;

// The rows are read one by one, each by its primary key, even if the planner still expects the table to be empty.
const withHealth = (subscriptions: Sql) => sql`
  (${subscriptions}) AS s
  JOIN LATERAL (SELECT * FROM ready_queue WHERE subscription_id = s.id OFFSET 0) AS q ON true
  LEFT JOIN LATERAL (SELECT * FROM subscription_health WHERE subscription_id = s.id OFFSET 0) AS h ON true`;

/** Reads the health of one of the caller's subscriptions, with the last day hour by hour. */
export async function getSubscriptionHealth(deps: Deps, request: GetSubscriptionHealthRequest) {
  const owned = sql`SELECT id, url, status FROM subscriptions WHERE ${ownedSql(requireCaller(request))} AND id = ${request.id}`;
  const [row] = await deps.db.run<DetailedRow>(sql`
    WITH ${clock(deps)}
    SELECT ${healthColumns},
      (SELECT count(*) FROM (
        (SELECT FROM deliveries WHERE subscription_id = s.id AND state = 'pending' LIMIT ${MAX_PENDING})
        UNION ALL (SELECT FROM deliveries WHERE subscription_id = s.id AND state = 'in_flight')
        LIMIT ${MAX_PENDING}) AS waiting
      )::integer AS pending,
      (SELECT coalesce(sum(exhausted), 0) FROM subscription_hours
        WHERE subscription_id = s.id AND exhausted > 0 AND hour > (SELECT now FROM clock) - ${HEALTH_DAYS}::integer * interval '1 day'
      )::integer AS exhausted,
      (SELECT jsonb_agg(jsonb_build_object('hour', hour, 'delivered', coalesce(delivered, 0), 'failed', coalesce(failed, 0)) ORDER BY hour)
        FROM clock,
          generate_series(date_trunc('hour', now, 'UTC') - (${HOURS_SHOWN}::integer - 1) * interval '1 hour', now, interval '1 hour') AS hour
          LEFT JOIN LATERAL (
            SELECT delivered, failed FROM subscription_hours AS counted
            WHERE counted.hour = hour.hour AND counted.subscription_id = s.id OFFSET 0) AS of_hour ON true
      ) AS hours
    FROM ${withHealth(owned)}`);
  if (!row) throw fail("not_found", "No such webhook subscription.");
  return create(GetSubscriptionHealthResponseSchema, {
    health: toMessage(row),
    pending: row.pending,
    givenUp: row.exhausted,
    hours: row.hours.map(({ hour, ...counts }) => ({ hour: new Date(hour).toISOString(), ...counts })),
  });
}

/** Reads the health of the named subscriptions of the caller, or of all that are active. */
export async function listSubscriptionHealth(deps: Deps, request: ListSubscriptionHealthRequest) {
  const named = request.ids.slice(0, MAX_LISTED);
  const wanted = named.length > 0 ? sql`id = ANY (${named}::text[])` : sql`status = 'active'`;
  const owned = sql`SELECT id, url, status FROM subscriptions WHERE ${ownedSql(requireCaller(request))} AND ${wanted}`;
  const rows = await deps.db.run<HealthRow>(sql`SELECT ${healthColumns} FROM ${withHealth(owned)} ORDER BY s.id`);
  return create(ListSubscriptionHealthResponseSchema, { subscriptions: rows.map(toMessage) });
}

function toMessage(row: HealthRow) {
  const { id, url, status, isFailing, lastSuccessAt, lastFailureAt, failingSince } = row;
  const state = status === "active" && isFailing ? "failing" : status;
  return {
    subscriptionId: id,
    url,
    state,
    ...(lastSuccessAt && { lastSuccessAt: lastSuccessAt.toISOString() }),
    ...(lastFailureAt && { lastFailureAt: lastFailureAt.toISOString(), lastFailure: toFailure(row) }),
    ...(state === "failing" && failingSince && { failingSince: failingSince.toISOString() }),
  };
}

/** Converts a failure to its proto message. */
export function toFailure({ reason, failureStatus }: Pick<HealthRow, "reason" | "failureStatus">) {
  return { reason: reason ?? "status", ...(failureStatus !== null && { status: failureStatus }) };
}
