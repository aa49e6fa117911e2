import { create } from "@bufbuild/protobuf";
import { fail } from "@shipping/kit/errors";
import type { Database } from "@shipping/kit/postgres/database";
import {
  type ListDeliveriesRequest,
  ListDeliveriesResponseSchema,
  type ShowEventRequest,
  ShowEventResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import sql, { empty, type Sql } from "sql-template-tag";

/** A delivery as an operator sees it. */
interface DeliveryRow {
  eventId: string;
  subscriptionId: string;
  state: string;
  attempt: number;
  nextAt: Date | null;
  leaseUntil: Date | null;
  lastStatus: number | null;
  lastError: string | null;
  lastMs: number | null;
  eventType: string;
  receivedAt: Date;
  url: string;
}

/** The columns of a delivery `d`, its event `e` and its subscription `s`. */
const deliveryColumns = sql`
  d.event_id AS "eventId", d.subscription_id AS "subscriptionId", d.state, d.attempt, d.next_at AS "nextAt",
  d.lease_until AS "leaseUntil", d.last_status AS "lastStatus", d.last_error AS "lastError", d.last_ms AS "lastMs",
  e.type AS "eventType", e.received_at AS "receivedAt", s.url`;

/** Converts a row to its message: times as text, and nulls left out. */
function deliveryMessage({ nextAt, leaseUntil, lastStatus, lastError, lastMs, receivedAt, ...row }: DeliveryRow) {
  return {
    ...row,
    receivedAt: receivedAt.toISOString(),
    ...(nextAt && { nextAt: nextAt.toISOString() }),
    ...(leaseUntil && { leaseUntil: leaseUntil.toISOString() }),
    ...(lastStatus !== null && { lastStatus }),
    ...(lastError !== null && { lastError }),
    ...(lastMs !== null && { lastMs }),
  };
}

interface EventRow {
  id: string;
  type: string;
  accountId: string;
  environment: string;
  body: Uint8Array;
  receivedAt: Date;
}

/** Reads an event of any account with its deliveries. */
export async function showEvent(deps: { db: Database }, { id }: ShowEventRequest) {
  const [event] = await deps.db.run<EventRow>(sql`
    SELECT id, type, account_id AS "accountId", environment, body, received_at AS "receivedAt" FROM events WHERE id = ${id}`);
  if (!event) throw fail("not_found", `No such event: ${id}. It has not arrived yet, or its retention period is over.`);
  const deliveries = await deps.db.run<DeliveryRow>(sql`
    SELECT ${deliveryColumns}
    FROM deliveries AS d JOIN events AS e ON e.id = d.event_id JOIN subscriptions AS s ON s.id = d.subscription_id
    WHERE d.account_id = ${event.accountId} AND d.event_id = ${id} ORDER BY d.subscription_id`);
  const receivedAt = event.receivedAt.toISOString();
  return create(ShowEventResponseSchema, { ...event, receivedAt, deliveries: deliveries.map(deliveryMessage) });
}

/** The maximum number of events that one call examines. */
const MAX_EXAMINED = 20_000;

/**
 * Reads one page of the deliveries of a subscription. There is no index in this order, because each delivery would have to write it, and
 * operators ask rarely. It walks back through the events that have arrived, and looks up the delivery of each.
 */
export async function listDeliveries(
  deps: { db: Database },
  { subscriptionId, state, since, limit, after }: ListDeliveriesRequest,
  maxExamined = MAX_EXAMINED,
) {
  const { accountId, environment, url } = await findOwner(deps, subscriptionId);
  const unread = sql`received_at >= ${since}::timestamptz ${after === undefined ? empty : sql`AND ${place} < ${parseCursor(after)}`}`;
  const [end] = await deps.db.run<{ receivedAt: Date; eventId: string }>(sql`
    SELECT received_at AS "receivedAt", id AS "eventId" FROM events WHERE ${unread}
    ORDER BY received_at DESC, id DESC OFFSET ${maxExamined - 1} LIMIT 1`);
  const rows = await deps.db.run<DeliveryRow>(sql`
    SELECT ${deliveryColumns}
    FROM (
      SELECT id, type, received_at FROM events
      WHERE ${unread} ${end ? sql`AND ${place} >= ${parseCursor(toCursor(end))}` : empty}
        AND account_id = ${accountId} AND environment = ${environment}) AS e
    CROSS JOIN LATERAL (
      SELECT * FROM deliveries
      WHERE account_id = ${accountId} AND event_id = e.id AND subscription_id = ${subscriptionId} ${state === undefined ? empty : sql`AND state = ${state}`}
      OFFSET 0) AS d
    CROSS JOIN (SELECT ${url}::text AS url) AS s
    ORDER BY e.received_at DESC, e.id DESC LIMIT ${limit}`);
  const last = rows.length === limit ? rows.at(-1) : end;
  return create(ListDeliveriesResponseSchema, {
    deliveries: rows.map(deliveryMessage),
    ...(last && { nextCursor: toCursor(last) }),
  });
}

async function findOwner(deps: { db: Database }, id: string) {
  const [owner] = await deps.db.run<{ accountId: string; environment: string; url: string }>(
    sql`SELECT account_id AS "accountId", environment, url FROM subscriptions WHERE id = ${id}`,
  );
  if (!owner) throw fail("not_found", `No such webhook subscription: ${id}.`);
  return owner;
}

/** Returns the position of an event in the order of arrival. */
const place = sql`(received_at, id)`;

function toCursor({ receivedAt, eventId }: { receivedAt: Date; eventId: string }): string {
  return `${receivedAt.toISOString()} ${eventId}`;
}

function parseCursor(cursor: string): Sql {
  const [receivedAt, id] = cursor.split(" ");
  return sql`(${receivedAt}::timestamptz, ${id})`;
}
