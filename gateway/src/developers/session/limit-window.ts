import sql, { type Sql } from "sql-template-tag";
import { clock, type GatewayDeps } from "../../database/deps.js";

/** What the area counts, it counts anew every so many minutes. */
export const WINDOW_MINUTES = 10;

/** When the window of time that is now began. */
export function windowStart(deps: Pick<GatewayDeps, "clockOffsetMs">): Sql {
  return sql`date_bin(${WINDOW_MINUTES} * interval '1 minute', ${clock(deps)}, timestamptz '2000-01-01 00:00Z')`;
}
