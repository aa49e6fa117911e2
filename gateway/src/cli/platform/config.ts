import { publicSettings } from "@shipping/kit/http/settings";
import {
  busIdentitySettings,
  databaseUrl,
  type Env,
  httpUrl,
  readConfig,
  secret,
  tlsSettings,
  urlList,
} from "@shipping/kit/process/config";
import { z } from "zod";
import { requestLogSetting } from "../../request-log/settings.js";

const databaseFor = (part: string) => databaseUrl().optional().describe(`URL of the PostgreSQL database of ${part}`);
const serviceUrl = (part: string) => urlList().optional().describe(`URL of ${part}`);

const settings = z.object({
  DATA_DIR: z.string().default(".data").describe("data folder of a local platform"),
  DATABASE_URL: databaseFor("the gateway"),
  DATABASE_URL_FILE: z.string().optional().describe("file that contains DATABASE_URL"),
  DATABASE_URL_GATEWAY: databaseFor("the gateway"),
  DATABASE_URL_PORTAL: databaseFor("the portal"),
  DATABASE_URL_RECORDS: databaseFor("records"),
  DATABASE_URL_CARRIER: databaseFor("carrier"),
  DATABASE_URL_TRACKING: databaseFor("tracking"),
  DATABASE_URL_WEBHOOKS: databaseFor("webhooks"),
  PUBLIC_URL: httpUrl({ paths: true })
    .optional()
    .describe("URL of the developer area; taken from the running platform if not set"),
  TRUSTED_PROXIES: publicSettings.TRUSTED_PROXIES,
  ...requestLogSetting,
  GATEWAY_URL: serviceUrl("the public API"),
  PORTAL_URL: serviceUrl("the portal, for RPC; without it, the platform has no portal"),
  RECORDS_URL: serviceUrl("records"),
  CARRIER_URL: serviceUrl("carrier"),
  TRACKING_URL: serviceUrl("tracking"),
  WEBHOOKS_URL: serviceUrl("webhooks"),
  NATS_URL: urlList("nats", "tls").optional().describe("URL of the NATS server, for doctor"),
  NATS_CA_FILE: busIdentitySettings.NATS_CA_FILE,
  EGRESS_PROXY_URL: secret(httpUrl()).optional().describe("HTTP proxy of deliveries, for doctor"),
  OPERATOR: z.string().optional().describe("your name in the operator log; default: your user name"),
  ...tlsSettings,
});

export type AdminConfig = z.output<typeof settings>;

/** The command that starts the operator's command line: the script of the repository, or the program of an image. */
export function commandName(env: Env = process.env): string {
  return env.npm_lifecycle_event === "admin" ? "npm run -s admin --" : "admin";
}

export function adminConfig(env: Env = process.env): AdminConfig {
  return readConfig(settings, env);
}
