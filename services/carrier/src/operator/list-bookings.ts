import { create } from "@bufbuild/protobuf";
import {
  type ListBookingsRequest,
  type ListBookingsResponse,
  ListBookingsResponseSchema,
} from "@shipping/proto/shipping/carrier/v1/operations_pb";
import sql from "sql-template-tag";
import type { BookingRow } from "../bookings/booking.js";
import type { BookingDeps } from "../bookings/booking-rows.js";

interface Row
  extends Pick<BookingRow, "id" | "accountId" | "environment" | "shipmentId" | "carrier" | "state" | "createdAt"> {
  reference: string | null;
  dueAt: Date | null;
  problem: string | null;
}

/** Lists bookings with something left to do, the one that has been due longest first; or the booking that a shipment's label has or may get. */
export async function listBookings(
  { db }: Pick<BookingDeps, "db">,
  { limit, shipmentId }: ListBookingsRequest,
): Promise<ListBookingsResponse> {
  const rows = await db.run<Row>(sql`
    SELECT id, account_id AS "accountId", environment, shipment_id AS "shipmentId", carrier, state, reference,
      created_at AS "createdAt", due_at AS "dueAt", problem
    FROM bookings WHERE ${shipmentId === undefined ? sql`due_at IS NOT NULL` : sql`shipment_id = ${shipmentId} AND state IN ('asked', 'held', 'voiding')`}
    ORDER BY due_at LIMIT ${limit}`);
  return create(ListBookingsResponseSchema, { bookings: rows.map(messageOf) });
}

function messageOf({ reference, createdAt, dueAt, problem, ...row }: Row) {
  return {
    ...row,
    createdAt: createdAt.toISOString(),
    ...(reference !== null && { reference }),
    ...(dueAt !== null && { dueAt: dueAt.toISOString() }),
    ...(problem !== null && { problem }),
  };
}
