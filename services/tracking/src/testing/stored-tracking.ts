import type { Database } from "@shipping/kit/postgres/database";
import { rowsIn } from "@shipping/kit/testing/rows";
import sql from "sql-template-tag";

interface StoredTracking {
  trackingNumber: string;
  status: string;
}

/** The tracking records of these accounts. */
export function storedTracking(db: Database, accountIds: readonly string[]): Promise<StoredTracking[]> {
  return rowsIn<StoredTracking>(db, "tracking_records", { accountId: accountIds });
}

/** Deletes the record of a tracking number, as if it had never been written. */
export async function loseTracking(db: Database, trackingNumber: string): Promise<void> {
  await db.run(sql`DELETE FROM tracking_records WHERE tracking_number = ${trackingNumber}`);
}

/** Sets a record back to its first status. */
export async function forgetVoid(db: Database, trackingNumber: string): Promise<void> {
  await db.run(sql`UPDATE tracking_records SET status = 'pre_transit' WHERE tracking_number = ${trackingNumber}`);
}

/** Stores a record of a label that does not exist, like that of another. */
export async function inventTracking(db: Database, trackingNumber: string, like: string): Promise<void> {
  await db.run(sql`
    INSERT INTO tracking_records (account_id, environment, tracking_number, status, carrier, label_id, shipment_id, created_at, updated_at)
    SELECT account_id, environment, ${trackingNumber}, status, carrier, 'lbl_nowhere', 'shp_nowhere', created_at, updated_at
    FROM tracking_records WHERE tracking_number = ${like}`);
}

/** The status of a record; undefined if there is none. */
export async function trackingStatus(db: Database, trackingNumber: string): Promise<string | undefined> {
  const [row] = await db.run<{ status: string }>(
    sql`SELECT status FROM tracking_records WHERE tracking_number = ${trackingNumber}`,
  );
  return row?.status;
}
