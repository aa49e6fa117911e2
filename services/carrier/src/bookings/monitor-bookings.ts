import { type Row, selectColumns } from "@shipping/kit/postgres/columns";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { ListBookingsRequest } from "@shipping/proto/shipping/carrier/v1/operations_pb";
import sql from "sql-template-tag";
import { bookingColumns } from "./booking.js";
import type { BookingDeps } from "./booking-rows.js";

/** Lists unsettled bookings, the one that has been due longest first; or the booking that a shipment's label has or may get. */
export async function listBookings({ db }: Pick<BookingDeps, "db">, { limit, shipmentId }: ListBookingsRequest) {
  const rows = await db.run<Row<typeof bookingColumns>>(sql`
    SELECT ${selectColumns(bookingColumns)}
    FROM bookings WHERE ${shipmentId === undefined ? sql`due_at IS NOT NULL` : sql`shipment_id = ${shipmentId} AND state IN ('asked', 'held', 'voiding')`}
    ORDER BY due_at LIMIT ${limit}`);
  return { bookings: rows.map(toMessage) };
}

function toMessage({ reference, createdAt, dueAt, problem, ...row }: Row<typeof bookingColumns>) {
  return {
    ...row,
    createdAt: createdAt.toISOString(),
    reference: reference ?? undefined,
    dueAt: dueAt?.toISOString(),
    problem: problem ?? undefined,
  };
}

// A booking is late after this time: a running request has its booking for a few seconds, and repetitions and the worker need some more.
const LATE_SECONDS = 60;
const MAX_COUNTED = 10_000;

/** Measures unsettled bookings. Replicas show the same numbers, because they share the table. */
export function measureBookings(metrics: Metrics, { db }: Pick<BookingDeps, "db">): void {
  const help = {
    carrier_bookings_unsettled:
      "Bookings that are not settled, counted up to 10,000: in doubt, to be cancelled, to be checked again.",
    carrier_bookings_late: `The same, due for more than ${LATE_SECONDS} seconds or failed in the worker, counted up to 10,000.`,
    carrier_oldest_unsettled_seconds:
      "Age in seconds of the oldest booking that is in doubt or to be cancelled; 0 if there is none.",
  };
  metrics.gauges(help, async () => {
    const [row] = await db.run<{ unsettled: number; late: number; oldest: number }>(sql`
      SELECT count(*)::integer AS unsettled,
        (count(*) FILTER (WHERE problem IS NOT NULL OR due_at < clock_timestamp() - ${LATE_SECONDS}::float8 * interval '1 s'))::integer AS late,
        coalesce(max(extract(epoch FROM clock_timestamp() - created_at)) FILTER (WHERE state IN ('asked', 'cancelling')), 0)::float8 AS oldest
      FROM (
        SELECT state, problem, due_at, created_at FROM bookings WHERE due_at IS NOT NULL
        ORDER BY due_at LIMIT ${MAX_COUNTED}) AS waiting`);
    return {
      carrier_bookings_unsettled: row!.unsettled,
      carrier_bookings_late: row!.late,
      carrier_oldest_unsettled_seconds: row!.oldest,
    };
  });
}
