import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { newApiKey } from "@shipping/api/api-key";
import { createAccount } from "@shipping/gateway/accounts/manage-accounts";
import { createKey, revokeKey } from "@shipping/gateway/accounts/manage-keys";
import { openPrisma } from "@shipping/gateway/database/deps";
import { type Database, openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { CONNECT_MS } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { type Part, parts } from "@shipping/local/parts";
import { type ClusterOptions, launchCluster, type SharedCluster } from "./launch-cluster.js";
import { share } from "./share.js";

/** A server process of the cluster, as described in cluster.json. */
export interface ClusterProcess {
  name: string;
  pid: number;
  address: string;
}

/** The content of cluster.json. */
export interface ClusterFile {
  base_url: string;
  account_id: string;
  sandbox_key: string;
  live_key: string;
  sign_in_url: string;
  sign_in_email: string;
  gateways: string[];
  portals: string[];
  /** URL of the MCP server, if the cluster was started with one. */
  mcp?: string;
  pid: number;
  processes: ClusterProcess[];
}

/** The platform as separate processes on loopback, in a folder of its own. */
export interface ClusterUnderTest {
  dataDir: string;
  gateways: string[];
  databases: Record<Part, Database>;
  /** cluster.json as it is now. */
  now(): Promise<ClusterFile>;
  process(name: string): Promise<ClusterProcess>;
  /** Ends a process as `kill -9` does, and resolves with the pid that it had. */
  kill(name: string): Promise<number>;
  /** The names of the processes that accept connections. */
  listening(): Promise<string[]>;
  /** Resolves when every process responds again. */
  healthy(): Promise<void>;
  /** A new account with one sandbox key. Its ID is made of `bytes` if a setting has named it before. */
  newCustomer(name?: string, bytes?: Uint8Array): Promise<{ accountId: string; key: string; keyId: string }>;
  /** One more sandbox key of an account. */
  newKey(accountId: string): Promise<{ key: string; keyId: string }>;
  revokeKey(keyId: string): Promise<void>;
  stop(): Promise<void>;
}

const UNKNOWN_KEY = newApiKey("sandbox", randomBytes).key;

/** Starts a cluster with these flags and settings; needs `npm run build` before. */
export async function startCluster(
  flags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  options: ClusterOptions = {},
): Promise<ClusterUnderTest> {
  const { dataDir, stop } = await launchCluster(flags, env, options);
  return clusterIn(dataDir, stop);
}

/**
 * The cluster that the test files of this worker share, each with customers of its own and all processes healthy: three gateways, two processes of every
 * other part, a rate limit above what tests need, receivers on this machine, waits between attempts `SHARED_SPEEDUP` times shorter, a fault file
 * named `fault` in its data folder, and a simulated carrier for one account.
 */
export async function sharedCluster(): Promise<
  ClusterUnderTest & Pick<SharedCluster, "carrierUrl" | "carrierAccount">
> {
  const { shared, release } = await share<SharedCluster>("cluster");
  const cluster = await clusterIn(shared.dataDir, release);
  await cluster.healthy();
  return { ...shared, ...cluster };
}

async function clusterIn(dataDir: string, stop: () => Promise<void>): Promise<ClusterUnderTest> {
  const now = async () => JSON.parse(await readFile(join(dataDir, "cluster.json"), "utf8")) as ClusterFile;
  const databases = await openAll(dataDir);
  const prisma = openPrisma(databases.gateway);
  const deps = { db: databases.gateway, prisma, now: () => new Date(), random: randomBytes };
  const find = async (name: string) => {
    const found = (await now()).processes.find((one) => one.name === name);
    if (!found) throw new Error(`There is no process ${name}.`);
    return found;
  };

  async function newKey(accountId: string) {
    const { id: keyId, key } = await createKey(deps, { accountId, environment: "sandbox" });
    return { key, keyId };
  }

  return {
    dataDir,
    gateways: (await now()).gateways,
    databases,
    now,
    process: find,
    async kill(name) {
      const { pid } = await find(name);
      process.kill(pid, "SIGKILL");
      return pid;
    },
    async listening() {
      const { processes } = await now();
      const up = await Promise.allSettled(processes.map(requireListening));
      return processes.filter((_, at) => up[at]?.status === "fulfilled").map(({ name }) => name);
    },
    healthy: () => eventually(async () => requireHealth(await now())),
    async newCustomer(name = "Cluster test", bytes) {
      const { id: accountId } = await createAccount(bytes ? { ...deps, random: () => bytes } : deps, { name });
      return { accountId, ...(await newKey(accountId)) };
    },
    newKey,
    revokeKey: async (id) => void (await revokeKey(deps, { id })),
    async stop() {
      await prisma.$disconnect();
      await Promise.all(parts.map((part) => databases[part].close()));
      await stop();
    },
  };
}

async function openAll(dataDir: string): Promise<Record<Part, Database>> {
  const { databases: urls } = JSON.parse(await readFile(join(dataDir, "platform.json"), "utf8"));
  const opened = parts.map(
    (part) => [part, openDatabase(urls[part], { max: 5, connectMs: CONNECT_MS, log: silentLog() })] as const,
  );
  return Object.fromEntries(opened) as Record<Part, Database>;
}

// Each process runs and accepts connections, and each gateway looks up a key in its database (an unknown one: 401).
async function requireHealth({ processes, gateways }: ClusterFile): Promise<void> {
  await Promise.all(processes.map(requireListening));
  for (const gateway of gateways) {
    const { status } = await fetch(`${gateway}/account`, { headers: { authorization: `Bearer ${UNKNOWN_KEY}` } });
    if (status !== 401) throw new Error(`${gateway} answers ${status}.`);
  }
}

async function requireListening({ pid, address }: ClusterProcess): Promise<void> {
  process.kill(pid, 0);
  const { hostname, port } = new URL(`http://${address}`);
  const socket = connect({ host: hostname.replace(/[[\]]/g, ""), port: Number(port) });
  try {
    await once(socket, "connect");
  } finally {
    socket.destroy();
  }
}
