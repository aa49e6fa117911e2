import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { ownedSql } from "@shipping/kit/postgres/read-owned";
import {
  type ListTestDeliveriesRequest,
  ListTestDeliveriesResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql, { join } from "sql-template-tag";
import type { SubscriptionDeps } from "../subscriptions/deps.js";

interface EventRow {
  eventId: string;
  eventType: string;
  receivedAt: Date;
  /** Null if the event goes to other subscriptions only. */
  state: string | null;
}

interface TestRow extends EventRow {
  state: string;
  attempt: number;
  nextAt: Date | null;
  status: number | null;
  error: string | null;
  ms: number | null;
}

// Seconds around the start of a test by its owner's clock, which may be a little ahead of ours. The outer spans are for clocks that are
// minutes apart, and for a form that was sent again minutes after it had failed halfway; they are searched from the nearest event on.
const SPANS = [
  { from: -2, to: 120, order: sql`ASC` },
  { from: -420, to: -2, order: sql`DESC` },
  { from: 120, to: 420, order: sql`ASC` },
];
const MAX_EXAMINED = 50_000;
const MAX_RESOURCES = 2;

/**
 * Lists the deliveries of a test's events. It looks for them among the events that arrived just after the test began: an index by resource
 * would burden every event, for the few that belong to tests. Until there is an event of each type that the subscription wants, it searches
 * the minutes around as well. It reads on the connections of lists, so that deliveries never wait for it.
 */
export async function listTestDeliveries(
  deps: SubscriptionDeps,
  request: ListTestDeliveriesRequest,
  maxExamined = MAX_EXAMINED,
) {
  const caller = requireCaller(request);
  const [subscription] = await deps.db.runList<{ id: string; events: string[] }>(
    sql`SELECT id, events FROM subscriptions WHERE ${ownedSql(caller)} AND id = ${request.subscriptionId}`,
  );
  if (!subscription || caller.environment !== "sandbox") throw fail("not_found", "No such webhook subscription.");
  const { id, events: types } = subscription;
  const named = request.resourceIds.slice(0, MAX_RESOURCES).map((resource) => Buffer.from(JSON.stringify(resource)));
  const namedConditions = [sql`false`, ...named.map((resource) => sql`position(${resource}::bytea IN body) > 0`)];
  const search = ({ from, to, order }: (typeof SPANS)[number]) =>
    deps.db.runList<EventRow | TestRow>(sql`
    SELECT of_test.id AS "eventId", of_test.type AS "eventType", of_test.received_at AS "receivedAt", d.state, d.attempt, d.next_at AS "nextAt",
      d.last_status AS status, d.last_error AS error, d.last_ms AS ms
    FROM (
      SELECT id, type, received_at FROM (
        SELECT id, type, account_id, environment, body, received_at FROM events
        WHERE received_at >= ${request.since}::timestamptz + ${from}::integer * interval '1 second'
          AND received_at < ${request.since}::timestamptz + ${to}::integer * interval '1 second'
        ORDER BY received_at ${order} LIMIT ${maxExamined}) AS near
      WHERE ${ownedSql(caller)} AND type = ANY (${types}::text[])
        AND (${join(namedConditions, " OR ")})
      LIMIT ${types.length}) AS of_test
    LEFT JOIN LATERAL (
      SELECT state, attempt, next_at, last_status, last_error, last_ms FROM deliveries
      WHERE event_id = of_test.id AND subscription_id = ${id} OFFSET 0) AS d ON true`);
  const found: (EventRow | TestRow)[] = [];
  for (const span of SPANS) {
    found.push(...(await search(span)));
    if (types.every((type) => found.some(({ eventType }) => eventType === type))) break;
  }
  const rows = found.filter((row): row is TestRow => row.state !== null);
  rows.sort((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime() || (a.eventId < b.eventId ? -1 : 1));
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
