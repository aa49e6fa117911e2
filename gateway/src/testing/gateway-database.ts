import { randomBytes } from "node:crypto";
import { parseApiKey } from "@shipping/api/api-key";
import type { Environment } from "@shipping/kit/caller";
import { eraseBatch } from "@shipping/kit/service/account-data";
import { testDatabase } from "@shipping/kit/testing/database";
import { createAccount } from "../accounts/manage-accounts.js";
import { createKey, type NewKey } from "../accounts/manage-keys.js";
import { gatewayAccountData } from "../database/account-data.js";
import { type AdminDeps, gatewayMigrations, openPrisma } from "../database/deps.js";

/** Creates a gateway's database for one test file. */
export async function gatewayDatabase() {
  const { db, url, drop } = await testDatabase({ directory: gatewayMigrations });
  const prisma = openPrisma(db);
  const admin: AdminDeps = { db, prisma, now: () => new Date(), random: randomBytes };

  /** Creates a key of the given account, or of a new one. */
  async function newKey(options: { environment?: Environment } & Partial<Omit<NewKey, "environment">> = {}) {
    const accountId = options.accountId ?? (await createAccount(admin, { name: "Acme" })).id;
    const created = await createKey(admin, { environment: "sandbox", ...options, accountId });
    const parsed = parseApiKey(`Bearer ${created.key}`);
    if (!parsed) throw new Error("A new key does not pass its own check.");
    return { ...created, hash: parsed.hash };
  }

  return {
    db,
    url,
    prisma,
    admin,
    newKey,
    /** Erases the rows of an account, table by table. */
    async erase(accountId: string) {
      for (let cursor: string | undefined; ; ) {
        ({ nextCursor: cursor } = await eraseBatch(db, gatewayAccountData, { accountId, cursor }));
        if (!cursor) return;
      }
    },
    async drop() {
      await prisma.$disconnect();
      await drop();
    },
  };
}
