import { PrismaPg } from "@prisma/adapter-pg";
import type { Database } from "@shipping/kit/postgres/database";
import { PrismaClient } from "../gen/prisma/client.js";

/** Prisma's client on the connections of lists: what people do, by page or by command, takes none from requests. */
export function openPrisma(db: Database): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(db.listPool, { disposeExternalPool: false }) });
}
