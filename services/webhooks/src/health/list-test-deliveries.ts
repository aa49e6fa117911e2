import { create } from "@bufbuild/protobuf";
import { callerOf } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { ownedSql } from "@shipping/kit/postgres/owned";
import {
  type ListTestDeliveriesRequest,
  type ListTestDeliveriesResponse,
  ListTestDeliveriesResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql, { join } from "sql-template-tag";
import type { SubscriptionDeps } from "../subscriptions/deps.js";
import { findSubscription } from "../subscriptions/read-subscriptions.js";

interface TestRow {
  eventId: string;
  eventType: string;
  state: string;
  attempt: number;
  nextAt: Date | null;
  status: number | null;
  error: string | null;
  ms: number | null;
}

/** When the events of a test arrive, in seconds after it began by its owner's clock, which may be a little ahead of ours. */
const SOON = { from: -2, to: 120 };
/** The same where the two clocks are minutes apart. */
const SKEWED = { from: -420, to: 420 };
const MOST_SOUGHT = 50_000;
const MOST_RESOURCES = 2;

/**
 * Says what became of the events of a test. They are sought among the events that arrived just after it began: an index by resource
 * would cost every event, for the few that are tests. As soon as there is one of each type that the subscription wants, the search ends.
 * Where none is found, it is repeated for clocks that disagree.
 */
export async function listTestDeliveries(
  deps: SubscriptionDeps,
  request: ListTestDeliveriesRequest,
): Promise<ListTestDeliveriesResponse> {
  const caller = callerOf(request);
  const subscription = await findSubscription(deps, { caller, id: request.subscriptionId });
  if (!subscription || caller.environment !== "sandbox") throw fail("not_found", "No such webhook subscription.");
  const { id, events: types } = subscription;
  const named = request.resourceIds.slice(0, MOST_RESOURCES).map((resource) => Buffer.from(JSON.stringify(resource)));
  const isNamed = [sql`false`, ...named.map((resource) => sql`position(${resource}::bytea IN body) > 0`)];
  const search = ({ from, to }: typeof SOON) =>
    deps.db.run<TestRow>(sql`
    SELECT of_test.id AS "eventId", of_test.type AS "eventType", d.state, d.attempt, d.next_at AS "nextAt",
      d.last_status AS status, d.last_error AS error, d.last_ms AS ms
    FROM (
      SELECT id, type, received_at FROM (
        SELECT id, type, account_id, environment, body, received_at FROM events
        WHERE received_at >= ${request.since}::timestamptz + ${from}::integer * interval '1 second'
          AND received_at <= ${request.since}::timestamptz + ${to}::integer * interval '1 second'
        ORDER BY received_at LIMIT ${MOST_SOUGHT}) AS near
      WHERE ${ownedSql(caller)} AND type = ANY (${types}::text[])
        AND (${join(isNamed, " OR ")})
      LIMIT ${types.length}) AS of_test
    CROSS JOIN LATERAL (
      SELECT state, attempt, next_at, last_status, last_error, last_ms FROM deliveries
      WHERE event_id = of_test.id AND subscription_id = ${id} OFFSET 0) AS d
    ORDER BY of_test.received_at, of_test.id`);
  const soon = await search(SOON);
  const rows = soon.length > 0 ? soon : await search(SKEWED);
  return create(ListTestDeliveriesResponseSchema, { deliveries: rows.map(messageOf) });
}

function messageOf({ nextAt, status, ms, error, ...row }: TestRow) {
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
