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
  hours: { hour: string; delivered: number; failed: number }[];
  today: Date;
  /** The days that had attempts. */
  days: { day: string; delivered: number; failed: number; givenUp: number }[] | null;
  waiting:
    | { reason: string | null; failureStatus: number | null; deliveries: number; lastAt: string; nextAt: string }[]
    | null;
}

const MAX_LISTED = 100;
const MAX_PENDING = 1_001;
const HOURS_SHOWN = 24;
const MAX_REASONS = 10;

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

/** The condition that an hour is within the last 30 days in UTC, up to the present one. It needs the CTE `clock`. */
const IN_HEALTH_DAYS = sql`
  hour >= date_trunc('day', (SELECT now FROM clock), 'UTC') - (${HEALTH_DAYS}::integer - 1) * interval '1 day'`;

/** Reads the health of one of the caller's subscriptions, with the last day hour by hour. */
export async function getSubscriptionHealth(deps: Deps, request: GetSubscriptionHealthRequest) {
  const caller = requireCaller(request);
  const owned = sql`SELECT id, url, status FROM subscriptions WHERE ${ownedSql(caller)} AND id = ${request.id}`;
  const [row] = await deps.db.run<DetailedRow>(sql`
    WITH ${clock(deps)}
    SELECT ${healthColumns},
      (SELECT count(*) FROM (
        (SELECT FROM deliveries WHERE subscription_id = s.id AND state = 'pending' LIMIT ${MAX_PENDING})
        UNION ALL (SELECT FROM deliveries WHERE subscription_id = s.id AND state = 'in_flight')
        LIMIT ${MAX_PENDING}) AS waiting
      )::integer AS pending,
      (SELECT jsonb_agg(jsonb_build_object('hour', hour, 'delivered', coalesce(delivered, 0), 'failed', coalesce(failed, 0)) ORDER BY hour)
        FROM clock,
          generate_series(date_trunc('hour', now, 'UTC') - (${HOURS_SHOWN}::integer - 1) * interval '1 hour', now, interval '1 hour') AS hour
          LEFT JOIN LATERAL (
            SELECT delivered, failed FROM subscription_hours AS counted
            WHERE counted.hour = hour.hour AND counted.subscription_id = s.id OFFSET 0) AS of_hour ON true
      ) AS hours,
      date_trunc('day', (SELECT now FROM clock), 'UTC') AS today,
      (SELECT jsonb_agg(of_day) FROM (
        SELECT date_trunc('day', hour, 'UTC') AS day, sum(delivered) AS delivered, sum(failed) AS failed, sum(exhausted) AS "givenUp"
        FROM subscription_hours
        WHERE account_id = ${caller.accountId} AND subscription_id = ${request.id} AND ${IN_HEALTH_DAYS}
        GROUP BY 1) AS of_day
      ) AS days,
      (SELECT jsonb_agg(grouped) FROM (
        SELECT last_error AS reason, CASE WHEN last_error IS NULL THEN last_status END AS "failureStatus", count(*) AS deliveries,
          max(last_ended_at) AS "lastAt", min(next_at) AS "nextAt"
        FROM (
          SELECT * FROM deliveries WHERE subscription_id = s.id AND state = 'pending' ORDER BY next_at LIMIT ${MAX_PENDING}) AS due
        WHERE last_ended_at IS NOT NULL GROUP BY 1, 2 ORDER BY count(*) DESC, max(last_ended_at) DESC LIMIT ${MAX_REASONS}) AS grouped
      ) AS waiting
    FROM ${withHealth(owned)}`);
  if (!row) throw fail("not_found", "No such webhook subscription.");
  const days = toDays(row);
  return create(GetSubscriptionHealthResponseSchema, {
    health: toMessage(row),
    pending: row.pending,
    givenUp: days.reduce((sum, { givenUp }) => sum + givenUp, 0),
    hours: row.hours.map(({ hour, ...counts }) => ({ hour: new Date(hour).toISOString(), ...counts })),
    days,
    waiting: (row.waiting ?? []).map(({ lastAt, nextAt, deliveries, ...failure }) => ({
      failure: toFailure(failure),
      deliveries,
      lastAt: new Date(lastAt).toISOString(),
      nextAt: new Date(nextAt).toISOString(),
    })),
  });
}

const DAY_MS = 86_400_000;

/** The last 30 days, the oldest first, including those without attempts. */
function toDays({ today, days }: DetailedRow) {
  const byTime = new Map(days?.map(({ day, ...counts }) => [Date.parse(day), counts]));
  return Array.from({ length: HEALTH_DAYS }, (_, index) => {
    const day = today.getTime() - (HEALTH_DAYS - 1 - index) * DAY_MS;
    return { day: new Date(day).toISOString(), ...(byTime.get(day) ?? { delivered: 0, failed: 0, givenUp: 0 }) };
  });
}

/** Reads the health of the named subscriptions of the caller, or of all that are active. */
export async function listSubscriptionHealth(deps: Deps, request: ListSubscriptionHealthRequest) {
  const named = request.ids.slice(0, MAX_LISTED);
  const wanted = named.length > 0 ? sql`id = ANY (${named}::text[])` : sql`status = 'active'`;
  const owned = sql`SELECT id, url, status FROM subscriptions WHERE ${ownedSql(requireCaller(request))} AND ${wanted}`;
  const rows = await deps.db.run<HealthRow>(sql`SELECT ${healthColumns} FROM ${withHealth(owned)} ORDER BY s.id`);
  const counted = request.countsGivenUp
    ? await countGivenUp(
        deps,
        rows.map(({ id }) => id),
      )
    : undefined;
  return create(ListSubscriptionHealthResponseSchema, {
    subscriptions: rows.map((row) => ({ ...toMessage(row), ...(counted && { givenUp: counted.get(row.id) ?? 0 }) })),
  });
}

/** Counts the deliveries that were given up in the last 30 days, by subscription. */
async function countGivenUp(deps: Deps, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await deps.db.run<{ id: string; count: number }>(sql`
    WITH ${clock(deps)}
    SELECT subscription_id AS id, sum(exhausted)::integer AS count FROM subscription_hours
    WHERE subscription_id = ANY (${[...ids]}::text[]) AND exhausted > 0 AND ${IN_HEALTH_DAYS}
    GROUP BY 1`);
  return new Map(rows.map(({ id, count }) => [id, count]));
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
