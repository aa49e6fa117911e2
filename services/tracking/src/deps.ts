import type { Database } from "@shipping/kit/postgres/database";

/** The dependencies of tracking's operations. */
export interface TrackingDeps {
  db: Database;
}
