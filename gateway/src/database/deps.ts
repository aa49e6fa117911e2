import type { Random } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";
import sql, { type Sql } from "sql-template-tag";
import type { PrismaClient } from "../gen/prisma/client.js";

/** The dependencies of all operations of the gateway. */
export interface GatewayDeps {
  db: Database;
  prisma: PrismaClient;
  log: Log;
  now(): Date;
  random: Random;
  /** Moves the clock of leases and rate windows; 0 outside tests. */
  clockOffsetMs: number;
}

/** The clock of leases, windows and expiries: the database's, which all gateways share; moved by tests. */
export function clock({ clockOffsetMs = 0 }: Partial<Pick<GatewayDeps, "clockOffsetMs">>): Sql {
  return sql`(clock_timestamp() + ${clockOffsetMs} * interval '1 millisecond')`;
}

/** When the current window of so many minutes began. */
export function windowStart(deps: Partial<Pick<GatewayDeps, "clockOffsetMs">>, minutes: number): Sql {
  return sql`date_bin(${minutes} * interval '1 minute', ${clock(deps)}, timestamptz '2000-01-01 00:00Z')`;
}
