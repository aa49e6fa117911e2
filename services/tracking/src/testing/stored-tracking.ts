import type { Database } from "@shipping/kit/postgres/database";
import { rowsIn } from "@shipping/kit/testing/rows";

interface StoredTracking {
  trackingNumber: string;
  status: string;
}

/** The tracking records of these accounts. */
export function storedTracking(db: Database, accountIds: readonly string[]): Promise<StoredTracking[]> {
  return rowsIn<StoredTracking>(db, "tracking_records", { accountId: accountIds });
}
