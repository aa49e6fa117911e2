import { positiveInt, readConfig, serviceSettings, urlList } from "@shipping/kit/process/config";
import { z } from "zod";
import { DEFAULT_LIMITS } from "./admission/bulkhead.js";
import { DEFAULT_PACE } from "./admission/pace.js";
import { checkDeveloperSettings, developerSettings } from "./developers/session/settings.js";

export const gatewaySettings = z
  .object({
    ...serviceSettings,
    ...developerSettings,
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
      .describe("pages, and refusals without a valid API key, per second and client address; further ones wait"),
  })
  .superRefine(checkDeveloperSettings);

export type GatewayConfig = z.output<typeof gatewaySettings>;

export function gatewayConfig(): GatewayConfig {
  return readConfig(gatewaySettings, process.env);
}
