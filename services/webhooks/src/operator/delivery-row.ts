import sql from "sql-template-tag";

/** A delivery as an operator sees it. */
export interface DeliveryRow {
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
export const deliveryColumns = sql`
  d.event_id AS "eventId", d.subscription_id AS "subscriptionId", d.state, d.attempt, d.next_at AS "nextAt",
  d.lease_until AS "leaseUntil", d.last_status AS "lastStatus", d.last_error AS "lastError", d.last_ms AS "lastMs",
  e.type AS "eventType", e.received_at AS "receivedAt", s.url`;

/** The message for a row: times as text, and nulls left out. */
export function deliveryMessage({
  nextAt,
  leaseUntil,
  lastStatus,
  lastError,
  lastMs,
  receivedAt,
  ...row
}: DeliveryRow) {
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
