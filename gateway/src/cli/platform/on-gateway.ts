import { fail } from "@shipping/kit/errors";
import { pooledRandom } from "@shipping/kit/ids";
import { openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { Option } from "commander";
import { findAccount } from "../../accounts/find-account.js";
import { type AdminDeps, openPrisma } from "../../database/deps.js";
import { CONNECT_MS, checkDatabase } from "./check-database.js";
import { nowhere, type Platform } from "./find-platform.js";
import type { Finding } from "./finding.js";

/** Works on the gateway's database of a platform, if that is in order. */
export async function onGateway<T>(platform: Platform, work: (deps: AdminDeps) => Promise<T>): Promise<T> {
  const url = platform.databases.gateway;
  if (!url) throw unusable(nowhere(platform));
  const log = silentLog();
  const finding = await checkDatabase("gateway", url, log);
  if (!finding.ok) throw unusable(finding);

  const db = openDatabase(url, { max: 2, connectMs: CONNECT_MS, log });
  const prisma = openPrisma(db);
  try {
    return await work({ db, prisma, now: () => new Date(), random: pooledRandom });
  } finally {
    await prisma.$disconnect();
    await db.close();
  }
}

/** The option that names an account. */
export function accountOption(): Option {
  return new Option(
    "--account <account>",
    "ID of the account, or its name if the name is unique",
  ).makeOptionMandatory();
}

/** Works on an account of it, which is named by its id or its name. */
export function onAccount<T>(
  platform: Platform,
  nameOrId: string,
  work: (deps: AdminDeps, accountId: string) => Promise<T>,
): Promise<T> {
  return onGateway(platform, async (deps) => work(deps, await findAccount(deps, nameOrId)));
}

function unusable({ part, says, advice }: Finding) {
  return fail("service_unavailable", `${part} ${says}. ${advice}`);
}
