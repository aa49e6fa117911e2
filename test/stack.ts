import { randomBytes } from "node:crypto";
import { type AdminDeps, createAccount } from "@shipping/gateway/admin/manage-accounts";
import { createKey, revokeKey } from "@shipping/gateway/admin/manage-keys";
import type { Scope } from "@shipping/gateway/api-key";
import type { Environment } from "@shipping/kit/caller";
import type { Database } from "@shipping/kit/database";
import { createLocalBus } from "@shipping/kit/local-bus";
import { createLog, type Log, silentLog } from "@shipping/kit/log";
import { testDatabase } from "@shipping/kit/testing/database";
import { localDeliveryConfig } from "@shipping/local/config";
import { migrationsOf, type Part, parts } from "@shipping/local/parts";
import { type RunningParts, startParts } from "@shipping/local/start-parts";

/** The whole platform on databases of its own, and the operator's hand on it. */
export interface Stack {
  /** The versioned root of the API. */
  baseUrl: string;
  rpcPorts: RunningParts["rpcPorts"];
  databases: Record<Part, Database>;
  /** Every log line so far, as text. */
  logged(): string;
  newAccount(name?: string): Promise<string>;
  newKey(accountId: string, environment?: Environment, extra?: KeyExtra): Promise<{ id: string; key: string }>;
  revokeKey(id: string): Promise<void>;
  /** An account of its own with a key for each environment. */
  newCustomer(): Promise<{ accountId: string; sandbox: string; live: string }>;
  stop(): Promise<void>;
}

export interface KeyExtra {
  scopes?: readonly Scope[];
  expiresInMs?: number;
}

/** Starts it: all parts in this process, events in process, private webhook targets allowed. */
export async function startStack(options: { requestsPerMinute?: number; logs?: boolean } = {}): Promise<Stack> {
  const cloned = await Promise.all(
    parts.map(async (part) => [part, await testDatabase({ directory: migrationsOf[part] })] as const),
  );
  const databases = Object.fromEntries(cloned.map(([part, { db }]) => [part, db])) as Record<Part, Database>;
  const lines: string[] = [];
  const log: Log = options.logs
    ? createLog({ part: "test", destination: { write: (line) => void lines.push(line) } })
    : silentLog();
  const running = await startParts({
    databases,
    bus: createLocalBus(),
    delivery: localDeliveryConfig(`test:${randomBytes(32).toString("base64")}`, {
      WEBHOOK_ALLOW_PRIVATE_TARGETS: "true",
    }),
    gateway: { port: 0, host: "127.0.0.1", requestsPerMinute: options.requestsPerMinute ?? 120 },
    log,
  });
  const admin: AdminDeps = { prisma: running.gatewayPrisma, now: () => new Date(), random: randomBytes };

  const newAccount = async (name = "Test") => (await createAccount(admin, { name })).id;
  const newKey: Stack["newKey"] = (accountId, environment = "sandbox", extra = {}) =>
    createKey(admin, { accountId, environment, ...extra });

  return {
    baseUrl: `http://127.0.0.1:${running.port}/api/v1`,
    rpcPorts: running.rpcPorts,
    databases,
    logged: () => lines.join(""),
    newAccount,
    newKey,
    revokeKey: async (id) => void (await revokeKey(admin, { id })),
    async newCustomer() {
      const accountId = await newAccount();
      const sandbox = await newKey(accountId, "sandbox");
      const live = await newKey(accountId, "live");
      return { accountId, sandbox: sandbox.key, live: live.key };
    },
    async stop() {
      await running.stop(true);
      await Promise.all(cloned.map(([, { drop }]) => drop()));
    },
  };
}
