import type { Database } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";

interface Booking {
  accountId: string;
  shipmentId: string;
  state: "asked" | "held" | "voiding" | "cancelling" | "over";
  reference?: string;
  problem?: string;
}

/** Stores a booking, `bkg_` and its state. One that is to be settled is due in an hour, so that the worker leaves it alone. */
export async function storeBooking(
  db: Database,
  { accountId, shipmentId, state, reference, problem }: Booking,
): Promise<void> {
  await db.run(sql`
    INSERT INTO bookings (account_id, environment, id, shipment_id, carrier, state, idempotency_key, fingerprint, token,
      requested_by, request_id, reference, turn, leased_until, due_at, problem, created_at)
    VALUES (${accountId}, 'sandbox', 'bkg_' || ${state}::text, ${shipmentId}, 'acme', ${state}, 'key', '', 1, '', '', ${reference ?? null}, 1, now(),
      CASE WHEN ${state !== "held"} THEN now() + interval '1 hour' END, ${problem ?? null}, now())`);
}

/** Counts an account's bookings that are not settled. */
export async function countUnsettled(db: Database, accountId: string): Promise<number> {
  return (await db.run(sql`SELECT FROM bookings WHERE account_id = ${accountId} AND due_at IS NOT NULL`)).length;
}
