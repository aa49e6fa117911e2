import { randomBytes } from "node:crypto";
import { parseApiKey } from "@shipping/api/api-key";
import type { Environment } from "@shipping/kit/caller";
import { testDatabase } from "@shipping/kit/testing/database";
import { createAccount } from "../accounts/manage-accounts.js";
import { createKey, type NewKey } from "../accounts/manage-keys.js";
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
    async drop() {
      await prisma.$disconnect();
      await drop();
    },
  };
}
