import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createLocalBus } from "@shipping/kit/events/bus";
import { busConnectionOptions } from "@shipping/kit/events/bus-connection";
import type { Database } from "@shipping/kit/postgres/database";
import { type Env, toOrigin } from "@shipping/kit/process/config";
import { serveOps } from "@shipping/kit/process/health";
import { createLog, type Log } from "@shipping/kit/process/log";
import type { Running } from "@shipping/kit/process/run-process";
import { requirePostgres } from "@shipping/kit/process/supported-versions";
import { missingIn } from "@shipping/kit/service/run-service";
import type { SubscribableBus } from "@shipping/webhooks/stream/inbox";
import { createJetStreamBus } from "@shipping/webhooks/stream/jetstream-bus";
import { toApiPrefix } from "@shipping/webhooks/stream/settings";
import {
  installationName,
  type LocalConfig,
  localAreaDeps,
  localConfig,
  localDeliveryConfig,
  localEdgeDeps,
  localMcpDeps,
} from "../config.js";
import { type DataFolder, secretsKeys, takeDataFolder } from "../data-folder.js";
import { openDatabases } from "../databases/open-databases.js";
import { mapParts, migrationFolders, type Part, parts } from "../parts.js";
import { createDemo, type DemoAccount, type DemoSignIn } from "./demo-account.js";
import { abortable } from "./explain-start.js";
import { startParts } from "./start-parts.js";

export interface Platform extends Running {
  baseUrl: string;
  /** The URL for Prometheus; `/livez` and `/readyz` are on the same port. */
  metricsUrl: string;
  /** The versions of PostgreSQL and Node. */
  runsOn: string;
  demo: DemoAccount & Partial<DemoSignIn>;
  /** The folder for emails if there is no mail server. */
  mailFolder: string | undefined;
  /** A JSON file with base URL, account and keys, for scripts. */
  demoFile: string;
  dataDir: string;
}

export interface PlatformOptions {
  /** Settings that take precedence over the environment. */
  overrides?: Env;
  stopping?: AbortSignal;
  printMail?(text: string): void;
}

/** Starts the platform as configured by the environment. */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const config = localConfig(options.overrides);
  const folder = await takeDataFolder(config.DATA_DIR);
  const opened: Running[] = [{ stop: () => folder.release() }];
  const stop = async (fast?: boolean) => {
    for (const running of opened.splice(0).reverse()) await running.stop(fast);
  };
  try {
    return { ...(await abortable(startOn(folder, config, options, opened), options.stopping)), stop };
  } catch (error) {
    await stop(true);
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    const { port } = error as { port?: number };
    const setting = port === config.OPS_PORT ? "OPS_PORT" : "PORT";
    throw new Error(
      `Port ${port} of ${config.HOST} is in use. Stop the program that uses it, or set ${setting} to another port.`,
    );
  }
}

async function startOn(
  folder: DataFolder,
  config: LocalConfig,
  options: PlatformOptions,
  opened: Running[],
): Promise<Omit<Platform, "stop">> {
  const logOf = (part: string) => createLog({ part, level: config.LOG_LEVEL, destination: process.stderr });
  const log = logOf("platform");
  const delivery = localDeliveryConfig(await secretsKeys(folder), {
    ...installationName(config, folder.path),
    ...options.overrides,
  });
  const area = localAreaDeps(folder.path, options.overrides);
  const { developerArea, mail } = area;
  const { databases, urls } = await openDatabases({ folder, config, log, opened, stopping: options.stopping });
  const bus = openBus(config, log);
  opened.push({ stop: () => bus.close() });
  const token = randomBytes(32).toString("base64url");
  const running = await startParts({
    token,
    databases,
    bus,
    delivery,
    listening: { port: config.PORT, host: config.HOST },
    gateway: { ...localEdgeDeps(options.overrides), requestsPerMinute: config.RATE_LIMIT_PER_MINUTE },
    portal: { ...area, mail: mail && "folder" in mail ? { ...mail, print: options.printMail } : mail },
    mcp: localMcpDeps(options.overrides),
    logOf,
  });
  opened.push(running);
  const ready = () => missingInAny(databases);
  const ops = await serveOps({ port: config.OPS_PORT, host: config.HOST, log, ready, metrics: () => running.metrics });
  opened.push(ops);
  const at = (port: number) => toOrigin(config.HOST, port);
  const origin = at(running.port);
  const baseUrl = `${origin}/api/v1`;
  const demo = await createDemo(folder, urls, developerArea && (developerArea.publicUrl ?? origin));
  await folder.publish("platform.json", {
    databases: urls,
    rpc: mapParts((part) => `http://127.0.0.1:${running.rpcPorts[part]}`),
    token,
    api: origin,
    bus: config.NATS_URL,
    ops: at(ops.port),
  });
  await folder.publish("demo.json", { base_url: baseUrl, ...demo });
  running.renderSite().catch((err) => log.error({ err }, "could not render the documentation site"));
  return {
    baseUrl,
    metricsUrl: `${at(ops.port)}/metrics`,
    runsOn: `PostgreSQL ${await requirePostgres(databases.gateway.pool)}, Node ${process.versions.node}`,
    demo,
    mailFolder: mail && "folder" in mail ? mail.folder : undefined,
    demoFile: join(folder.path, "demo.json"),
    dataDir: folder.path,
  };
}

async function missingInAny(databases: Record<Part, Database>): Promise<string | undefined> {
  for (const part of parts) {
    const missing = await missingIn(databases[part], migrationFolders[part]);
    if (missing) return `${part}: ${missing}`;
  }
  return undefined;
}

function openBus(config: LocalConfig, log: Log): SubscribableBus {
  const { NATS_URL } = config;
  if (!NATS_URL) return createLocalBus();
  const connection = busConnectionOptions({ ...config, NATS_URL }, { name: "platform", log });
  return createJetStreamBus({ ...connection, apiPrefix: toApiPrefix(config) });
}
