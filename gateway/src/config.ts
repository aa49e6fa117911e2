import { publicSettings, refuseFormerSettings, rpcPortSetting, toPublicDeps } from "@shipping/kit/http/settings";
import { type Env, port, positiveInt, readConfig, serviceSettings, urlList } from "@shipping/kit/process/config";
import { z } from "zod";
import { DEFAULT_PACE } from "./admission/pace.js";
import { DEFAULT_LIMITS } from "./admission/work.js";
import type { EdgeDeps } from "./api/deps.js";
import { requestLogSetting } from "./request-log/settings.js";

/** The settings of the edge, for a gateway in its own process and for one that shares a process with the other parts. */
export const edgeSettings = {
  ...publicSettings,
  ...requestLogSetting,
  NODE_ENV: z.string().default("development").describe("in production, documents name PUBLIC_URL or no URL"),
};

export const gatewaySettings = z.object({
  ...serviceSettings,
  ...edgeSettings,
  ...rpcPortSetting,
  INTERNAL_PORT: port()
    .optional()
    .describe(
      "port at which the part mcp sends the requests of its callers; 0 picks a free port; not opened if not set",
    ),
  PORT: serviceSettings.PORT.default(8080).describe("port of the public API; 0 picks a free port"),
  RECORDS_URL: urlList().describe("URL of the records service"),
  CARRIER_URL: urlList().describe("URL of the carrier service"),
  TRACKING_URL: urlList().describe("URL of the tracking service"),
  WEBHOOKS_URL: urlList().describe("URL of the webhooks service"),
  RATE_LIMIT_PER_MINUTE: positiveInt().default(120).describe("requests per minute for each API key"),
  CONCURRENCY_LIMIT: positiveInt()
    .default(DEFAULT_LIMITS.total)
    .describe("maximum work in progress, where a read or write is 1, a list 8 and a file 2; further requests wait"),
  ACCOUNT_CONCURRENCY_LIMIT: positiveInt()
    .default(DEFAULT_LIMITS.perAccount)
    .describe("maximum work in progress for one account"),
  ADDRESS_REQUESTS_PER_SECOND: positiveInt()
    .default(DEFAULT_PACE.perSecond)
    .describe("documents, and refusals without a valid API key, per second and client address; further ones wait"),
});

export type GatewayConfig = z.output<typeof gatewaySettings>;

const ofPortal = [
  "OIDC_ISSUER",
  "OIDC_CLIENT_ID",
  "OIDC_CLIENT_SECRET",
  "SMTP_URL",
  "SMTP_PLAINTEXT_TRUSTS_NETWORK",
  "MAIL_FROM",
  "MAIL_DIR",
];

const ofMcp = ["MCP_ALLOW_LIVE", "MCP_TOOLS"];

export function gatewayConfig(env: Env = process.env): GatewayConfig {
  refuseFormerSettings(env, { "the portal": ofPortal, "the part mcp": ofMcp });
  return readConfig(gatewaySettings, env);
}

export function toEdgeDeps(config: z.output<z.ZodObject<typeof edgeSettings>>): EdgeDeps {
  return {
    ...toPublicDeps(config),
    knowsOrigin: config.PUBLIC_URL !== undefined || config.NODE_ENV !== "production",
    requestLogDays: config.REQUEST_LOG_DAYS,
  };
}
