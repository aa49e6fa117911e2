import { rm } from "node:fs/promises";
import { join } from "node:path";
import { toOrigin } from "@shipping/kit/process/config";
import type { Running } from "@shipping/kit/process/run-process";
import { PARTS, type PartName, PUBLIC_PARTS, type PublicPart } from "@shipping/proto/parts";
import {
  environment,
  installationName,
  type LocalConfig,
  localAreaDeps,
  localDeliveryConfig,
  localMcpDeps,
  mailFolder,
} from "../config.js";
import { type DataFolder, secretsKeys, takeDataFolder } from "../data-folder.js";
import { prepareDatabases, withoutDatabase } from "../databases/prepare-databases.js";
import { mapParts, type Part } from "../parts.js";
import { createDemo, type DemoAccount, type DemoSignIn } from "../platform/demo-account.js";
import { abortable } from "../platform/explain-start.js";
import { busAuthorization, newBusPasswords } from "../servers/bus-users.js";
import { findNatsServer } from "../servers/find-nats-server.js";
import { keepPartCertificates } from "./certificates.js";
import { otherParts } from "./checkouts.js";
import { choosePorts, type Ports, urlsOf } from "./choose-ports.js";
import type { ClusterOptions } from "./options.js";
import { type EventBus, planProcesses, rpcUrlsOf } from "./plan-processes.js";
import { endLeftProcesses, type RunningServer, runServers, type Servers, type Tier } from "./run-servers.js";
import { emptyLogs, natsServer, partServer, postgresServer } from "./servers.js";
import { startFront } from "./start-front.js";

/** The content of `cluster.json`, for scripts. */
export interface ClusterDescription extends Launched {
  /** The pid of the launcher. */
  pid: number;
  processes: RunningServer[];
}

/** The platform as separate processes, which are restarted if they end. */
export interface Cluster extends Running {
  description: ClusterDescription;
  file: string;
  dataDir: string;
}

const FILE = "cluster.json";

/** Starts the platform as separate processes on loopback, and resolves when each answers its health check. `stopping` cancels this. */
export async function startCluster(options: {
  config: LocalConfig;
  cluster: ClusterOptions;
  stopping: AbortSignal;
  say(line: string): void;
}): Promise<Cluster> {
  const { config, stopping, say } = options;
  const { one } = options.cluster;
  const others = one && (await otherParts(one.part, one.others, say));
  const cluster = { ...options.cluster, checkouts: { ...others, ...options.cluster.checkouts } };
  const folder = await takeDataFolder(config.DATA_DIR);
  const file = join(folder.path, FILE);
  let launched: Launched | undefined;
  let front: Running | undefined;
  let published = Promise.resolve();

  const describe = (known: Launched) => ({ ...known, pid: process.pid, processes: servers.list() });
  // Writes run one after the other, so that the last one holds the latest state.
  const publish = () => {
    published = published
      .then(() => launched && folder.publish(FILE, describe(launched)))
      .catch((error) => say(`${file} could not be written: ${error.message}`));
  };
  const servers = runServers({ path: folder.path, say, onChange: publish });

  async function stop(fast?: boolean): Promise<void> {
    launched = undefined;
    await front?.stop();
    await servers.stop(fast);
    await published;
    await rm(file, { force: true });
    await folder.release();
  }

  try {
    await rm(file, { force: true });
    await endLeftProcesses(folder.path, say);
    const started = await abortable(launch({ folder, config, cluster, servers, say }), stopping);
    front = await startFront(started.front);
    launched = started.description;
    publish();
    await published;
    return { description: describe(launched), file, dataDir: folder.path, stop };
  } catch (error) {
    await stop(true);
    throw error;
  }
}

export interface Launch {
  folder: DataFolder;
  config: LocalConfig;
  cluster: ClusterOptions;
  servers: Servers;
  say(line: string): void;
}

export interface Launched extends DemoAccount, Partial<DemoSignIn> {
  /** The API at the cluster's one public address. */
  base_url: string;
  /** The API at each gateway. */
  gateways: string[];
  /** The URLs of the portals, which serve the developer area and the documentation. */
  portals: string[];
  /** The URL of the MCP server, if there is one. */
  mcp?: string | undefined;
}

/** Starts the stores, then every part on them, and resolves when all are ready for the front. */
export async function launch(of: Launch) {
  const { folder, config, cluster, servers, say } = of;
  const keys = await secretsKeys(folder);
  // Reports settings that webhooks and the gateway would refuse, before anything starts.
  localDeliveryConfig(keys);
  const { developerArea } = localAreaDeps(folder.path);
  const replicas = { ...cluster.replicas, mcp: localMcpDeps() === undefined ? 0 : 1 };
  const ports = await choosePorts({ ...cluster, replicas });
  const logs = await emptyLogs(folder.path);
  const [databaseUrls, bus] = await Promise.all([startDatabases(of, ports, logs), startNats(of, ports, logs)]);
  const originsOf = (part: PublicPart) => urlsOf(config.HOST, ports.parts, part, "http");
  const gatewayOrigins = originsOf("gateway");
  const origin = toOrigin(config.HOST, ports.front);
  const publicUrl = developerArea && { PUBLIC_URL: developerArea.publicUrl ?? origin };
  const account = await createDemo(folder, databaseUrls, publicUrl?.PUBLIC_URL);
  const env = { ...publicUrl, ...mailFolder(folder.path), ...installationName(config, folder.path), ...environment() };
  const certificates = cluster.tls ? await keepPartCertificates(folder.path) : undefined;
  const { checkouts } = cluster;
  const common = { host: config.HOST, ports: ports.parts, databaseUrls, bus };
  const processes = planProcesses({ ...common, secretsKeys: keys, certificates, checkouts, env });
  say(`Starting ${processes.length} processes. Their logs are in ${logs} …`);
  await Promise.all(processes.map((process) => servers.start(tierOf(process.part), partServer(process, logs, say))));

  const rpcUrls = rpcUrlsOf(config.HOST, ports.parts);
  const rpc = mapParts((part) => rpcUrls[part].join(","));
  const urls = {
    databases: databaseUrls,
    rpc,
    api: gatewayOrigins.join(","),
    pages: publicUrl?.PUBLIC_URL,
    bus: bus.url,
  };
  await folder.publish("platform.json", { ...urls, tls: certificates?.operator });
  const [base_url, ...gateways] = [origin, ...gatewayOrigins].map((one) => `${one}/api/v1`) as [string, ...string[]];
  const [mcp] = originsOf("mcp");
  const description: Launched = {
    ...{ base_url, ...account, gateways, portals: originsOf("portal") },
    ...(mcp !== undefined && { mcp: `${mcp}/mcp` }),
  };
  const byPart = Object.fromEntries(PUBLIC_PARTS.map((part) => [part, originsOf(part)]));
  return {
    description,
    front: { host: config.HOST, port: ports.front, processes: byPart as Record<PublicPart, string[]> },
  };
}

/** A part that calls a public one stops before it, and public parts stop before the services. */
function tierOf(part: PartName): Tier {
  const { calls, requests } = PARTS[part];
  const called = [...calls, ...Object.values(requests).map((request) => request.part)];
  const isPublic = (one: PartName) => PUBLIC_PARTS.some((known) => known === one);
  if (called.some(isPublic)) return "portals";
  return isPublic(part) ? "gateways" : "services";
}

async function startDatabases(of: Launch, ports: Ports, logs: string): Promise<Record<Part, string>> {
  const { folder, config, cluster, servers } = of;
  // Each part's database gets the migrations of the checkout that the part runs from.
  const migrations = Object.fromEntries(
    Object.entries(cluster.checkouts).map(([part, at]) => [part, join(at, "prisma")]),
  );
  if (withoutDatabase(config).length === 0)
    return prepareDatabases({ folder, config, serverUrl: undefined, migrations });
  const replicas = Object.values(cluster.replicas).reduce((sum, count) => sum + count, 0);
  const maxConnections = 50 + replicas * Number(environment().DATABASE_POOL || 10);
  const { sharedBuffersMb } = cluster;
  const postgres = postgresServer({ folder: folder.path, logs, port: ports.postgres, maxConnections, sharedBuffersMb });
  await servers.start("stores", postgres);
  return prepareDatabases({ folder, config, serverUrl: postgres.url(), migrations });
}

async function startNats({ folder, config, servers, say }: Launch, ports: Ports, logs: string): Promise<EventBus> {
  if (config.NATS_URL) return { url: config.NATS_URL };
  const program = await findNatsServer({ env: environment(), say });
  const passwords = newBusPasswords();
  const common = { folder: folder.path, logs, program, authorization: busAuthorization(passwords) };
  const members = ports.nats.map((port, index) => {
    const routePort = ports.natsRoutes[index];
    const others = { name: `nats-${index + 1}`, routePorts: ports.natsRoutes };
    return natsServer({ ...common, port, member: routePort === undefined ? undefined : { ...others, routePort } });
  });
  await Promise.all(members.map((member) => servers.start("stores", member)));
  const url = members.map(({ address }) => `nats://${address}`).join(",");
  const bus = { url, passwords, replicas: members.length };
  await folder.publish("nats.json", bus);
  return bus;
}
