import { create } from "@bufbuild/protobuf";
import { fail } from "@shipping/kit/errors";
import type { Database } from "@shipping/kit/postgres/database";
import {
  type ListDeliveriesRequest,
  type ListDeliveriesResponse,
  ListDeliveriesResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import sql, { empty, type Sql } from "sql-template-tag";
import { type DeliveryRow, deliveryColumns, deliveryMessage } from "./delivery-row.js";

/** The most events that one call examines. */
const MAX_WALKED = 20_000;

/**
 * Reads one page of the deliveries of a subscription. There is no index in this order, because each delivery would have to write it, and
 * operators ask once a month. It walks back through the events that have arrived, and looks up the delivery of each.
 */
export async function listDeliveries(
  deps: { db: Database },
  { subscriptionId, state, since, limit, after }: ListDeliveriesRequest,
  mostWalked = MAX_WALKED,
): Promise<ListDeliveriesResponse> {
  const { accountId, environment, url } = await ownerOf(deps, subscriptionId);
  const unread = sql`received_at >= ${since}::timestamptz ${after === undefined ? empty : sql`AND ${place} < ${placeOf(after)}`}`;
  const [end] = await deps.db.run<{ receivedAt: Date; eventId: string }>(sql`
    SELECT received_at AS "receivedAt", id AS "eventId" FROM events WHERE ${unread}
    ORDER BY received_at DESC, id DESC OFFSET ${mostWalked - 1} LIMIT 1`);
  const rows = await deps.db.run<DeliveryRow>(sql`
    SELECT ${deliveryColumns}
    FROM (
      SELECT id, type, received_at FROM events
      WHERE ${unread} ${end ? sql`AND ${place} >= ${placeOf(cursorOf(end))}` : empty}
        AND account_id = ${accountId} AND environment = ${environment}) AS e
    CROSS JOIN LATERAL (
      SELECT * FROM deliveries
      WHERE event_id = e.id AND subscription_id = ${subscriptionId} ${state === undefined ? empty : sql`AND state = ${state}`}
      OFFSET 0) AS d
    CROSS JOIN (SELECT ${url}::text AS url) AS s
    ORDER BY e.received_at DESC, e.id DESC LIMIT ${limit}`);
  const last = rows.length === limit ? rows.at(-1) : end;
  return create(ListDeliveriesResponseSchema, {
    deliveries: rows.map(deliveryMessage),
    ...(last && { nextCursor: cursorOf(last) }),
  });
}

async function ownerOf(deps: { db: Database }, id: string) {
  const [owner] = await deps.db.run<{ accountId: string; environment: string; url: string }>(
    sql`SELECT account_id AS "accountId", environment, url FROM subscriptions WHERE id = ${id}`,
  );
  if (!owner) throw fail("not_found", `No such webhook subscription: ${id}.`);
  return owner;
}

/** The position of an event in the order of arrival. */
const place = sql`(received_at, id)`;

function cursorOf({ receivedAt, eventId }: { receivedAt: Date; eventId: string }): string {
  return `${receivedAt.toISOString()} ${eventId}`;
}

function placeOf(cursor: string): Sql {
  const [receivedAt, id] = cursor.split(" ");
  return sql`(${receivedAt}::timestamptz, ${id})`;
}
