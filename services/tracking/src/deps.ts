import type { Database } from "@shipping/kit/postgres/database";

/** What the operations of tracking work with. */
export interface TrackingDeps {
  db: Database;
}
