import { randomBytes } from "node:crypto";
import type { Scope } from "@shipping/api/api-key";
import { createAccount, setSuspended } from "@shipping/gateway/accounts/manage-accounts";
import { createKey, revokeKey } from "@shipping/gateway/accounts/manage-keys";
import { type AdminDeps, openPrisma } from "@shipping/gateway/database/deps";
import type { Environment } from "@shipping/kit/caller";
import { createLocalBus } from "@shipping/kit/events/bus";
import { type Database, openDatabase } from "@shipping/kit/postgres/database";
import { createLog, type Log, silentLog } from "@shipping/kit/process/log";
import { CONNECT_MS, type TestDatabase, testDatabase } from "@shipping/kit/testing/database";
import { localDeliveryConfig } from "@shipping/local/config";
import { migrationFolders, type Part, parts } from "@shipping/local/parts";
import type { RunningParts } from "@shipping/local/platform/start-parts";
import { DEFAULT_PAGE_LIMITS } from "@shipping/portal/limits/page-limits";
import type { MailRoute } from "@shipping/portal/mail/settings";
import type { DeveloperArea } from "@shipping/portal/session/settings";
import { share } from "./share.js";

/** The whole platform on databases of its own, with functions for operator's tasks. */
export interface Stack {
  /** The versioned root of the API. */
  baseUrl: string;
  /** The same, of every replica. */
  baseUrls: string[];
  rpcPorts: RunningParts["rpcPorts"];
  /** The gateway's port for the MCP server, if it serves MCP. */
  internalPort?: number | undefined;
  /** The token that calls to these ports need. */
  rpcToken: string;
  databases: Record<Part, Database>;
  databaseUrls: Record<Part, string>;
  /** Every log line so far, as text. */
  logged(): string;
  newAccount(name?: string): Promise<string>;
  newKey(accountId: string, environment?: Environment, extra?: KeyExtra): Promise<{ id: string; key: string }>;
  revokeKey(id: string): Promise<void>;
  suspend(accountId: string): Promise<void>;
  /** An account of its own with a key for each environment. */
  newCustomer(): Promise<{ accountId: string; sandbox: string; live: string }>;
  stop(): Promise<void>;
}

export interface KeyExtra {
  name?: string;
  scopes?: readonly Scope[];
  expiresInMs?: number;
}

export interface StackOptions {
  /** Requests per minute, by default 120. In a list, each is that of a replica. */
  requestsPerMinute?: number | readonly number[];
  logs?: boolean;
  /** Whether webhooks may target receivers on this machine. The operator's switch for this is off by default but on here. */
  privateTargets?: boolean;
  /** The factor by which waits between attempts are shorter; by default 1. */
  clockSpeedup?: number;
  /** Differences of its developer area from the default. */
  developerArea?: DeveloperArea;
  /** How it sends email; by default not at all. */
  mail?: MailRoute;
  /** Trusted proxies; by default none. */
  trustedProxies?: number;
  /** The tools of the MCP that it serves, if any. Live keys cannot write there. */
  mcp?: "read" | "all";
  /** How a part gets its migrated database; by default as a clone. */
  databaseOf?: (part: Part) => Promise<TestDatabase>;
  /** Number of replicas of every part on the same databases; by default one. */
  replicas?: number;
}

const PER_MINUTE = 120;

/** The location of a platform that test files share. Its replicas have these limits. */
export type SharedStack = Pick<Stack, "baseUrls" | "rpcPorts" | "rpcToken" | "databaseUrls">;
export const PER_MINUTE_SHARED: readonly number[] = [PER_MINUTE, 100_000];

/** Starts the platform: all parts in this process, events in process, private webhook targets allowed unless the options say otherwise. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const databaseOf = options.databaseOf ?? ((part) => testDatabase({ directory: migrationFolders[part] }));
  const cloned = await Promise.all(parts.map(async (part) => [part, await databaseOf(part)] as const));
  const databases = Object.fromEntries(cloned.map(([part, { db }]) => [part, db])) as Record<Part, Database>;
  const databaseUrls = Object.fromEntries(cloned.map(([part, { url }]) => [part, url])) as Record<Part, string>;
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logOf = (part: string): Log => (options.logs ? createLog({ part, destination }) : silentLog());
  const delivery = localDeliveryConfig(`test:${randomBytes(32).toString("base64")}`, {
    WEBHOOK_ALLOW_PRIVATE_TARGETS: String(options.privateTargets ?? true),
    CLOCK_SPEEDUP: String(options.clockSpeedup ?? 1),
  });
  const listening = { port: 0, host: "127.0.0.1" };
  const rpcToken = randomBytes(32).toString("base64url");
  const publicUrl = options.developerArea?.publicUrl;
  const common = {
    publicUrl,
    strictTransport: publicUrl?.startsWith("https:") ?? false,
    trustedProxies: { count: options.trustedProxies ?? 0, header: "x-forwarded-for" as const },
    auditRetentionDays: 400,
  };
  // All tests come from one IP address.
  const gateway = {
    ...common,
    paceLimits: { perSecond: 10_000, burst: 10_000 },
    callPace: { perSecond: 10_000, burst: 10_000 },
    knowsOrigin: true,
    requestLogDays: 7,
  };
  const portal = {
    ...common,
    pageLimits: {
      ...DEFAULT_PAGE_LIMITS,
      client: { pages: 10_000, seconds: 1 },
      member: { pages: 10_000, seconds: 1 },
    },
    developerArea: options.developerArea ?? {},
    mail: options.mail,
  };
  const mcp = options.mcp && { ...common, allowLive: false, readOnly: options.mcp === "read" };
  // Loads the whole platform, which tests with a shared one do not need.
  const { startParts } = await import("@shipping/local/platform/start-parts");
  const start = (requestsPerMinute: number) =>
    startParts({
      ...{ databases, bus: createLocalBus(), delivery, token: rpcToken, listening, portal, mcp, logOf },
      gateway: { ...gateway, requestsPerMinute },
    });
  const limits = [options.requestsPerMinute ?? PER_MINUTE].flat();
  const running = await start(limits[0]!);
  const replicas = [running];
  while (replicas.length < Math.max(limits.length, options.replicas ?? 1))
    replicas.push(await start(limits[replicas.length] ?? limits[0]!));
  const baseUrls = replicas.map(({ port }) => `http://127.0.0.1:${port}/api/v1`);

  return {
    ...operator(databases, running.gatewayPrisma),
    baseUrl: baseUrls[0]!,
    baseUrls,
    rpcPorts: running.rpcPorts,
    internalPort: running.internalPort,
    rpcToken,
    databases,
    databaseUrls,
    logged: () => lines.join(""),
    async stop() {
      await Promise.all(replicas.map((replica) => replica.stop(true)));
      await Promise.all(cloned.map(([, { drop }]) => drop()));
    },
  };
}

/** The platform that the test files of this worker share, each with accounts of its own: with this limit, or with one above what tests need. */
export async function sharedStack(options: { requestsPerMinute?: 120 | 100_000 } = {}): Promise<Stack> {
  const { shared, release } = await share<SharedStack>("stack");
  const baseUrl = shared.baseUrls[PER_MINUTE_SHARED.indexOf(options.requestsPerMinute ?? PER_MINUTE)]!;
  const opened = parts.map(
    (part) => [part, openDatabase(shared.databaseUrls[part], { connectMs: CONNECT_MS, log: silentLog() })] as const,
  );
  const databases = Object.fromEntries(opened) as Record<Part, Database>;
  const prisma = openPrisma(databases.gateway);
  return {
    ...operator(databases, prisma),
    ...shared,
    baseUrl,
    databases,
    logged() {
      throw new Error("Only a platform of one's own keeps its log lines.");
    },
    async stop() {
      await prisma.$disconnect();
      await Promise.all(parts.map((part) => databases[part].close()));
      await release();
    },
  };
}

function operator(
  db: Record<Part, Database>,
  prisma: AdminDeps["prisma"],
): Pick<Stack, "newAccount" | "newKey" | "revokeKey" | "suspend" | "newCustomer"> {
  const admin: AdminDeps = { db: db.gateway, prisma, now: () => new Date(), random: randomBytes };
  const newAccount = async (name = "Test") => (await createAccount(admin, { name })).id;
  const newKey: Stack["newKey"] = (accountId, environment = "sandbox", extra = {}) =>
    createKey(admin, { accountId, environment, ...extra });

  return {
    newAccount,
    newKey,
    revokeKey: async (id) => void (await revokeKey(admin, { id })),
    suspend: async (accountId) => void (await setSuspended(admin, accountId, true)),
    async newCustomer() {
      const accountId = await newAccount();
      const sandbox = await newKey(accountId, "sandbox");
      const live = await newKey(accountId, "live");
      return { accountId, sandbox: sandbox.key, live: live.key };
    },
  };
}
