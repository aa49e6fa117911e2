import {
  busIdentitySettings,
  type Env,
  httpUrl,
  readConfig,
  secret,
  tlsSettings,
  urlList,
} from "@shipping/kit/process/config";
import { OPTIONAL_PARTS } from "@shipping/proto/parts";
import { z } from "zod";
import { type Part, parts } from "./parts.js";

type UrlSetting = `${Uppercase<Part>}_URL`;

/** The name of the setting with a part's URLs. */
export const urlSetting = (part: Part) => `${part.toUpperCase()}_URL` as UrlSetting;

const rpcSettings = Object.fromEntries(
  parts.map((part) => {
    const isOptional = OPTIONAL_PARTS.some((one) => one === part);
    const without = isOptional ? `; without it, the platform has no ${part}` : "";
    return [urlSetting(part), urlList().optional().describe(`URL of ${part}, for RPC${without}`)];
  }),
) as Record<UrlSetting, z.ZodOptional<ReturnType<typeof urlList>>>;

export const adminSettings = z.object({
  DATA_DIR: z.string().default(".data").describe("data folder of a local platform"),
  ...rpcSettings,
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
