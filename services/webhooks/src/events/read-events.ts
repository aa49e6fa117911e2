import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { ownedSql } from "@shipping/kit/postgres/owned/read-owned";
import {
  type FilterMissingRequest,
  FilterMissingResponseSchema,
  type GetEventRequest,
  GetEventResponseSchema,
  type ListArrivedRequest,
  ListArrivedResponseSchema,
  type ListEventOutcomesRequest,
  ListEventOutcomesResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import { clock, type SubscriptionDeps } from "../subscriptions/deps.js";

export interface EventDeps extends Pick<SubscriptionDeps, "db" | "clockOffsetMs" | "log"> {
  /** The time for which events and their finished deliveries are kept. */
  retentionDays: number;
}

/**
 * Returns which events have not arrived. A dead event has arrived: sending it again would not help. So has an event older than the
 * retention period: it was removed, and if it were sent again, it would reach receivers a second time, a month late. Its age decides,
 * because a permanent record of IDs would be the largest table of all. So an event is lost only if the broker lost it after acknowledging
 * it and, from then on, its producer could not ask once during the whole retention period.
 */
export async function filterMissing(deps: EventDeps, request: FilterMissingRequest) {
  const absent = await deps.db.run<{ id: string; expired: boolean }>(sql`
    WITH ${clock(deps)}
    SELECT asked.id, asked.created_at < clock.now - ${deps.retentionDays}::integer * interval '1 day' AS expired
    FROM clock, unnest(
      ${request.events.map((event) => event.id)}::text[],
      ${request.events.map((event) => event.createdAt)}::timestamptz[]
    ) AS asked (id, created_at)
    WHERE NOT EXISTS (SELECT FROM events WHERE events.id = asked.id)
      AND NOT EXISTS (SELECT FROM dead_events WHERE dead_events.event_id = asked.id)`);
  const expired = absent.filter((event) => event.expired).map(({ id }) => id);
  if (expired.length > 0)
    deps.log.warn({ events: expired }, "events older than the retention period are treated as acknowledged");
  const missingEventIds = absent.filter((event) => !event.expired).map(({ id }) => id);
  return create(FilterMissingResponseSchema, { missingEventIds });
}

const MAX_ARRIVED = 500;
/** How old the events are with which a list begins. */
const LISTED = sql`interval '7 days'`;

interface ArrivedRow {
  id: string;
  type: string;
  accountId: string;
  environment: string;
  body: Buffer;
  receivedAt: Date;
}

/** Reads a page of the events of all callers that have arrived in the last seven days, on the connections for lists. */
export async function listArrived(deps: Pick<EventDeps, "db" | "clockOffsetMs">, request: ListArrivedRequest) {
  const { types, after, limit } = request;
  if (limit < 1 || limit > MAX_ARRIVED)
    throw fail("invalid_request", `limit must be a number from 1 to ${MAX_ARRIVED}.`);
  const [time = "", id = ""] = after?.split(" ") ?? [];
  if (after !== undefined && Number.isNaN(Date.parse(time)))
    throw fail("invalid_request", "after must be the next_cursor of a page.");
  const beginning = after === undefined ? sql`${databaseNow(deps)} - ${LISTED}` : sql`${time}::timestamptz`;
  const rows = await deps.db.runList<ArrivedRow>(sql`
    SELECT id, type, account_id AS "accountId", environment, body, received_at AS "receivedAt" FROM events
    WHERE received_at >= (SELECT ${beginning}) AND (received_at, id) > ((SELECT ${beginning}), ${id})
    ORDER BY received_at, id LIMIT ${limit}::bigint`);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return create(ListArrivedResponseSchema, {
    events: rows
      .filter(({ type }) => types.includes(type))
      .map(({ body, receivedAt: _, ...event }) => ({ ...event, resourceId: resourceIn(body) })),
    ...(last && { nextCursor: `${last.receivedAt.toISOString()} ${last.id}` }),
  });
}

/** Returns one of the caller's events, as long as it is kept. */
export async function getEvent(deps: Pick<EventDeps, "db">, request: GetEventRequest) {
  const [event] = await deps.db.run<{ type: string; body: Uint8Array }>(
    sql`SELECT type, body FROM events WHERE id = ${request.id} AND ${ownedSql(requireCaller(request))}`,
  );
  if (!event) throw fail("not_found", "No such event.");
  return create(GetEventResponseSchema, { ...event, resourceId: resourceIn(event.body) });
}

function resourceIn(body: Uint8Array): string {
  const { data } = JSON.parse(Buffer.from(body).toString()) as { data: { id: string } };
  return data.id;
}

/** A shipment page shows the events of a shipment, its order and its label, which are at most four. */
const MAX_EVENTS = 8;

interface OutcomeRow {
  eventId: string;
  /** Null if no subscription wanted the event. */
  subscriptionId: string | null;
  state: string;
  endedAt: Date | null;
  nextAt: Date | null;
  attempts: number;
}

/** Reads the outcomes of events: up to ten for each, since an account has no more active subscriptions. */
export async function listEventOutcomes(deps: Pick<EventDeps, "db">, request: ListEventOutcomesRequest) {
  const ids = request.eventIds.slice(0, MAX_EVENTS);
  // The read uses the connections for lists, so that deliveries never wait for it.
  const rows = await deps.db.runList<OutcomeRow>(sql`
    SELECT e.id AS "eventId", d.subscription_id AS "subscriptionId", d.state,
      CASE WHEN d.state IN ('delivered', 'exhausted') THEN d.last_ended_at END AS "endedAt",
      d.next_at AS "nextAt", d.attempt AS attempts
    FROM unnest(${ids}::text[]) AS wanted (id)
    CROSS JOIN LATERAL (SELECT account_id, id FROM events WHERE id = wanted.id AND ${ownedSql(requireCaller(request))} OFFSET 0) AS e
    LEFT JOIN LATERAL (SELECT * FROM deliveries WHERE account_id = e.account_id AND event_id = e.id OFFSET 0) AS d ON true
    ORDER BY e.id, d.subscription_id`);
  return create(ListEventOutcomesResponseSchema, {
    eventIds: [...new Set(rows.map(({ eventId }) => eventId))],
    outcomes: rows.flatMap(({ subscriptionId, endedAt, nextAt, ...row }) =>
      subscriptionId === null
        ? []
        : {
            ...row,
            subscriptionId,
            ...(endedAt && { endedAt: endedAt.toISOString() }),
            ...(nextAt && { nextAt: nextAt.toISOString() }),
          },
    ),
  });
}
