import { randomBytes } from "node:crypto";
import { newId } from "@shipping/kit/ids";
import { eraseBatch } from "@shipping/kit/service/account-data";
import { testDatabase } from "@shipping/kit/testing/database";
import { portalAccountData } from "../database/account-data.js";
import { openPrisma, portalMigrations } from "../database/deps.js";

/** Creates a portal's database for one test file. */
export async function portalDatabase() {
  const { db, url, drop } = await testDatabase({ directory: portalMigrations });
  const prisma = openPrisma(db);
  return {
    db,
    url,
    prisma,
    now: () => new Date(),
    random: randomBytes,
    clockOffsetMs: 0,
    /** Stores an account that the gateway has, and returns its ID. */
    async newAccount(): Promise<string> {
      const id = newId("acc", randomBytes);
      await prisma.account.create({ data: { id, name: "Acme", readAt: new Date() } });
      return id;
    },
    /** Erases the rows of an account, table by table. */
    async erase(accountId: string) {
      for (let cursor: string | undefined; ; ) {
        ({ nextCursor: cursor } = await eraseBatch(db, portalAccountData, { accountId, cursor }));
        if (!cursor) return;
      }
    },
    async drop() {
      await prisma.$disconnect();
      await drop();
    },
  };
}
