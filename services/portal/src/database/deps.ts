import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import type { Random } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";
import { PrismaClient } from "../gen/prisma/client.js";

/** The folder with the portal's schema and migrations. It is defined here, because importing the portal's start would load all its pages. */
export const portalMigrations = fileURLToPath(new URL("../../prisma", import.meta.url));

export interface PortalDeps {
  db: Database;
  prisma: PrismaClient;
  log: Log;
  now(): Date;
  random: Random;
  /** Moves the clock of sessions, links and windows; 0 outside tests. */
  clockOffsetMs: number;
}

/** The dependencies of changes of members, by pages and by operators. */
export type MemberDeps = Pick<PortalDeps, "db" | "prisma" | "now" | "random"> &
  Partial<Pick<PortalDeps, "clockOffsetMs">>;

/** Prisma's client, with the connections for lists, so that lists take no connections from sign-ins. */
export function openPrisma(db: Database): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(db.listPool, { disposeExternalPool: false }) });
}
