import type { Database } from "@shipping/kit/database";

/** What the operations of tracking work with. */
export interface TrackingDeps {
  db: Database;
}
