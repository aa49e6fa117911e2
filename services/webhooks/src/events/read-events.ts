import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { ownedSql } from "@shipping/kit/postgres/read-owned";
import {
  type FilterMissingRequest,
  FilterMissingResponseSchema,
  type GetEventRequest,
  GetEventResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import { clock, type SubscriptionDeps } from "../subscriptions/deps.js";

export interface EventDeps extends Pick<SubscriptionDeps, "db" | "clockOffsetMs" | "log"> {
  /** How long events and their finished deliveries are kept. */
  retentionDays: number;
}

/**
 * Returns which events have not arrived. A dead event has arrived: sending it again would not help. So has an event older than the
 * retention period: it was removed, and if it were sent again, it would reach receivers a second time, a month late. Its age decides,
 * because IDs that are kept for ever would be the largest table of all. So an event is lost only if the broker lost it after acknowledging
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
    deps.log.warn(
      { events: expired },
      "events older than the retention period were asked for: treated as acknowledged",
    );
  const missingEventIds = absent.filter((event) => !event.expired).map(({ id }) => id);
  return create(FilterMissingResponseSchema, { missingEventIds });
}

/** Returns the resource of one of the caller's events, as long as the event is kept. */
export async function getEvent(deps: Pick<EventDeps, "db">, request: GetEventRequest) {
  const [event] = await deps.db.run<{ type: string; body: Uint8Array }>(
    sql`SELECT type, body FROM events WHERE id = ${request.id} AND ${ownedSql(requireCaller(request))}`,
  );
  if (!event) throw fail("not_found", "No such event.");
  const { data } = JSON.parse(Buffer.from(event.body).toString()) as { data: { id: string } };
  return create(GetEventResponseSchema, { type: event.type, resourceId: data.id });
}
