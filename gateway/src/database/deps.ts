import type { Random } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";
import sql, { type Sql } from "sql-template-tag";
import type { PrismaClient } from "../gen/prisma/client.js";

/** What all operations of the gateway work with. */
export interface GatewayDeps {
  db: Database;
  prisma: PrismaClient;
  log: Log;
  now(): Date;
  random: Random;
  /** Moves the clock of leases and rate windows; 0 outside tests. */
  clockOffsetMs: number;
}

/** The clock of leases: the database's, moved by tests. */
export function clock({ clockOffsetMs }: Pick<GatewayDeps, "clockOffsetMs">): Sql {
  return sql`(clock_timestamp() + ${clockOffsetMs} * interval '1 millisecond')`;
}
