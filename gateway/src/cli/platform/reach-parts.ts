import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { fail, failureIn } from "@shipping/kit/errors";
import { pooledRandom } from "@shipping/kit/ids";
import { openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { connectTo } from "@shipping/kit/rpc/client";
import { MAX_CALL_MS } from "@shipping/kit/rpc/replica";
import { describeError, type Finding } from "@shipping/kit/service/finding";
import { findAccount } from "../../accounts/find-account.js";
import { type AdminDeps, openPrisma } from "../../database/deps.js";
import { CONNECT_MS, checkDatabase } from "./check-parts.js";
import { notFound, type Part, type Platform } from "./find-platform.js";

/** The platforms whose gateway database was already checked. A command that changes something opens it three times. */
const checked = new WeakSet<Platform>();

/** Opens the gateway's database for some work. Refuses a database that is not reachable or not migrated. */
export async function onGateway<T>(platform: Platform, work: (deps: AdminDeps) => Promise<T>): Promise<T> {
  const url = platform.databases.gateway;
  if (!url) throw toFailure(notFound(platform));
  const log = silentLog();
  if (!checked.has(platform)) {
    const finding = await checkDatabase("gateway", url, log);
    if (!finding.ok) throw toFailure(finding);
    checked.add(platform);
  }
  const db = openDatabase(url, { max: 2, connectMs: CONNECT_MS, log });
  const prisma = openPrisma(db);
  try {
    return await work({ db, prisma, now: () => new Date(), random: pooledRandom });
  } finally {
    await prisma.$disconnect();
    await db.close();
  }
}

export function onAccount<T>(
  platform: Platform,
  nameOrId: string | undefined,
  work: (deps: AdminDeps, accountId: string) => Promise<T>,
): Promise<T> {
  return onGateway(platform, async (deps) => work(deps, await findAccount(deps, nameOrId)));
}

/** Connects to a service for some work, with the gateway's certificate: the commands run in its pods. Each call can take a minute. */
export async function callService<S extends DescService, T>(
  platform: Platform,
  part: Exclude<Part, "gateway">,
  service: S,
  work: (client: Client<S>) => Promise<T>,
): Promise<T> {
  const urls = platform.services[part];
  if (!urls) {
    if (!platform.databases.gateway) throw toFailure(notFound(platform));
    throw fail("service_unavailable", `The address of ${part} is unknown. Set ${part.toUpperCase()}_URL.`);
  }
  const transport = connectTo({ urls, log: silentLog(), tls: platform.tls });
  const unary: Transport["unary"] = (method, signal, timeoutMs = MAX_CALL_MS, ...rest) =>
    transport.unary(method, signal, timeoutMs, ...rest);
  try {
    return await work(createClient(service, { ...transport, unary }));
  } catch (error) {
    const refusal = failureIn(error);
    if (refusal && refusal.code !== "service_unavailable") throw refusal;
    throw fail("service_unavailable", `${part} at ${urls}: ${describeError(error)}`);
  } finally {
    await transport.close();
  }
}

function toFailure({ part, says, advice }: Finding) {
  return fail("service_unavailable", `${part} ${says}. ${advice}`);
}
