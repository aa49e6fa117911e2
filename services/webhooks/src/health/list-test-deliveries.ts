import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { ownedSql } from "@shipping/kit/postgres/owned/read-owned";
import { EVENT_TYPES } from "@shipping/proto/event-types";
import {
  type ListTestDeliveriesRequest,
  ListTestDeliveriesResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { SubscriptionDeps } from "../subscriptions/deps.js";

interface TestRow {
  eventId: string;
  eventType: string;
  receivedAt: Date;
  state: string;
  attempt: number;
  nextAt: Date | null;
  status: number | null;
  error: string | null;
  ms: number | null;
}

/** Lists the deliveries of a test's events. It reads on the connections for lists, so that deliveries never wait for it. */
export async function listTestDeliveries(deps: SubscriptionDeps, request: ListTestDeliveriesRequest) {
  const caller = requireCaller(request);
  const [subscription] = await deps.db.runList<{ id: string }>(
    sql`SELECT id FROM subscriptions WHERE ${ownedSql(caller)} AND id = ${request.subscriptionId}`,
  );
  if (!subscription || caller.environment !== "sandbox") throw fail("not_found", "No such webhook subscription.");
  // A test has one event of each type.
  const ids = request.eventIds.slice(0, EVENT_TYPES.length);
  const rows = await deps.db.runList<TestRow>(sql`
    SELECT e.id AS "eventId", e.type AS "eventType", e.received_at AS "receivedAt", d.state, d.attempt, d.next_at AS "nextAt",
      d.last_status AS status, d.last_error AS error, d.last_ms AS ms
    FROM unnest(${ids}::text[]) AS wanted (id)
    CROSS JOIN LATERAL (SELECT * FROM events WHERE id = wanted.id AND ${ownedSql(caller)} OFFSET 0) AS e
    CROSS JOIN LATERAL (
      SELECT * FROM deliveries
      WHERE account_id = e.account_id AND event_id = e.id AND subscription_id = ${subscription.id} OFFSET 0) AS d
    ORDER BY e.received_at, e.id`);
  return create(ListTestDeliveriesResponseSchema, { deliveries: rows.map(toMessage) });
}

function toMessage({ receivedAt: _, nextAt, status, ms, error, ...row }: TestRow) {
  const failure = error !== null ? { reason: error } : status !== null && { reason: "status", status };
  const isSuccess = status !== null && status >= 200 && status < 300;
  return {
    ...row,
    ...(status !== null && { status }),
    ...(ms !== null && { ms }),
    ...(failure && !isSuccess && { failure }),
    ...(nextAt && { nextAt: nextAt.toISOString() }),
  };
}
