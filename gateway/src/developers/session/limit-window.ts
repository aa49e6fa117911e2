import sql, { type Sql } from "sql-template-tag";
import { clock, type GatewayDeps } from "../../database/deps.js";

/** The length of a counting window of the area, in minutes. */
export const WINDOW_MINUTES = 10;

/** When the current window began. */
export function windowStart(deps: Pick<GatewayDeps, "clockOffsetMs">): Sql {
  return sql`date_bin(${WINDOW_MINUTES} * interval '1 minute', ${clock(deps)}, timestamptz '2000-01-01 00:00Z')`;
}
