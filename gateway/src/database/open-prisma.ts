import { PrismaPg } from "@prisma/adapter-pg";
import type { Database } from "@shipping/kit/postgres/database";
import { PrismaClient } from "../gen/prisma/client.js";

/** Prisma's client on the connections for lists, so that pages and commands take none from requests. */
export function openPrisma(db: Database): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(db.listPool, { disposeExternalPool: false }) });
}
