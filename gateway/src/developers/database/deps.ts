import type { Random } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";
import type { PrismaClient } from "../../gen/prisma/client.js";

/** The dependencies of sessions, members and background work. */
export interface PortalDeps {
  db: Database;
  prisma: PrismaClient;
  log: Log;
  now(): Date;
  random: Random;
  /** Moves the clock of sessions and windows; 0 outside tests. */
  clockOffsetMs: number;
}
