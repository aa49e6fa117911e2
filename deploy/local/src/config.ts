import { hostname } from "node:os";
import { join } from "node:path";
import type { EdgeDeps } from "@shipping/gateway/api/deps";
import { edgeSettings, toEdgeDeps } from "@shipping/gateway/config";
import { refuseFormerSettings } from "@shipping/kit/http/settings";
import {
  busIdentitySettings,
  busNameSettings,
  databaseUrl,
  type Env,
  flag,
  port,
  positiveInt,
  readConfig,
  serviceSettings,
  urlList,
} from "@shipping/kit/process/config";
import { mcpSettings, toMcpDeps } from "@shipping/mcp/config";
import type { McpSettingsDeps } from "@shipping/mcp/deps";
import { type AreaSettingsDeps, areaSettings, checkAreaSettings, toAreaDeps } from "@shipping/portal/session/settings";
import { PARTS } from "@shipping/proto/parts";
import { type DeliveryConfig, deliverySettings, refuseSwitchesInProduction } from "@shipping/webhooks/config";
import { jetStreamSettings } from "@shipping/webhooks/stream/settings";
import { z } from "zod";
import { isPublic, type Part, parts } from "./parts.js";

type DatabaseSetting = `DATABASE_URL_${Uppercase<Part>}`;

/** The name of the setting with the URL of a part's database. */
export const databaseSetting = (part: Part) => `DATABASE_URL_${part.toUpperCase()}` as DatabaseSetting;

const databaseSettings = Object.fromEntries(
  parts.map((part) => {
    const whose = isPublic(part) ? `the ${part}` : part;
    const description = `URL of the PostgreSQL database of ${whose}; without it, an embedded server is used`;
    return [databaseSetting(part), databaseUrl().optional().describe(description)];
  }),
) as Record<DatabaseSetting, z.ZodOptional<ReturnType<typeof databaseUrl>>>;

const settings = z.object({
  PORT: port().default(PARTS.gateway.ports.http!).describe("port of the API; 0 picks a free port"),
  OPS_PORT: port().default(0).describe("port for /livez, /readyz and /metrics; 0 picks a free port"),
  HOST: z.string().default("127.0.0.1").describe("IP address to listen on"),
  DATA_DIR: z.string().default(".data").describe("folder for all data of the platform"),
  ...databaseSettings,
  NATS_URL: urlList("nats", "tls")
    .optional()
    .describe("URL of the NATS server; without it, events stay inside the process"),
  ...busNameSettings,
  ...jetStreamSettings,
  ...busIdentitySettings,
  NODE_ENV: z.string().default("development").describe("in production, switches for trials are refused"),
  LOG_LEVEL: serviceSettings.LOG_LEVEL.default("warn").describe("lowest log level to write"),
  RATE_LIMIT_PER_MINUTE: positiveInt().default(120).describe("requests per minute for each API key"),
});

const mcpSwitch = { MCP: flag().default(false).describe("serves an MCP server for agents at /mcp") };

export type LocalConfig = z.output<typeof settings>;

/** Reads the settings of the platform in one process. `overrides` take precedence over the environment. */
export function localConfig(overrides: Env = {}): LocalConfig {
  const env = { ...process.env, ...overrides };
  refuseFormerSettings(env);
  return readConfig(settings, env);
}

/**
 * Returns the name of an installation on a NATS that others may use, too: its host and data folder, unless the environment names it. A NATS of its
 * own is in the data folder, which may be moved.
 */
export function installationName({ NATS_URL }: LocalConfig, folder: string): Env {
  const name = `${hostname()}:${folder}`.replaceAll(/[^\w./:@-]/g, "-").slice(-200);
  return NATS_URL && !process.env.INSTALLATION_NAME ? { INSTALLATION_NAME: name } : {};
}

/** Reads the settings of its deliveries. `secretsKeys` is used if the environment does not set SECRETS_KEYS. */
export function localDeliveryConfig(secretsKeys: string, overrides: Env = {}): DeliveryConfig {
  const schema = z.object(deliverySettings).superRefine(refuseSwitchesInProduction);
  return readConfig(schema, { SECRETS_KEYS: secretsKeys, ...process.env, ...overrides });
}

/** Reads the settings of its public API. */
export function localEdgeDeps(overrides: Env = {}): EdgeDeps {
  return toEdgeDeps(readConfig(z.object(edgeSettings), { ...process.env, ...overrides }));
}

/** Reads the settings of its MCP server, which is turned on by MCP. */
export function localMcpDeps(overrides: Env = {}): McpSettingsDeps | undefined {
  const { MCP, ...config } = readConfig(z.object({ ...mcpSwitch, ...mcpSettings }), { ...process.env, ...overrides });
  return MCP ? toMcpDeps(config) : undefined;
}

/** Reads the settings of its developer area. Without a mail server, emails are saved in `folder`. */
export function localAreaDeps(folder: string, overrides: Env = {}): AreaSettingsDeps {
  const schema = z.object(areaSettings).superRefine(checkAreaSettings);
  const env = { ...process.env, ...overrides };
  return toAreaDeps(readConfig(schema, { ...mailFolder(folder, env), ...env }));
}

/** Returns MAIL_DIR, a folder in the data folder, outside production and without a mail server. */
export function mailFolder(folder: string, env: Env = process.env): Env {
  return env.SMTP_URL || env.NODE_ENV === "production" ? {} : { MAIL_DIR: join(folder, "mail") };
}

/** Returns the whole environment, for child processes. */
export function environment(): Env {
  return process.env;
}
