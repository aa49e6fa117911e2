import {
  busIdentitySettings,
  type Env,
  httpUrl,
  readConfig,
  secret,
  tlsSettings,
  urlList,
} from "@shipping/kit/process/config";
import { z } from "zod";

const rpcUrl = (part: string) => urlList().optional().describe(`URL of ${part}, for RPC`);

export const adminSettings = z.object({
  DATA_DIR: z.string().default(".data").describe("data folder of a local platform"),
  GATEWAY_URL: rpcUrl("the gateway"),
  PORTAL_URL: urlList().optional().describe("URL of the portal, for RPC; without it, the platform has no portal"),
  RECORDS_URL: rpcUrl("records"),
  CARRIER_URL: rpcUrl("carrier"),
  TRACKING_URL: rpcUrl("tracking"),
  WEBHOOKS_URL: rpcUrl("webhooks"),
  API_URL: urlList().optional().describe("URL of the public API, for doctor"),
  PUBLIC_URL: httpUrl({ paths: true })
    .optional()
    .describe("URL of the developer area; taken from the running platform if not set"),
  NATS_URL: urlList("nats", "tls").optional().describe("URL of the NATS server, for doctor"),
  NATS_CA_FILE: busIdentitySettings.NATS_CA_FILE,
  EGRESS_PROXY_URL: secret(httpUrl()).optional().describe("HTTP proxy of deliveries, for doctor"),
  OPERATOR: z.string().optional().describe("your name in the operator log; default: your user name"),
  ...tlsSettings,
});

export type AdminConfig = z.output<typeof adminSettings>;

/** The command that starts the operator's command line: the script of the repository, or the program of an image. */
export function commandName(env: Env = process.env): string {
  return env.npm_lifecycle_event === "admin" ? "npm run -s admin --" : "admin";
}

export function adminConfig(env: Env = process.env): AdminConfig {
  return readConfig(adminSettings, env);
}
