import { positiveInt, readConfig, serviceSettings, urlList } from "@shipping/kit/process/config";
import { z } from "zod";
import { DEFAULT_LIMITS } from "./admission/bulkhead.js";
import { DEFAULT_PACE } from "./admission/pace.js";
import { developerSettings, refuseHalfAnArea } from "./developers/session/settings.js";
import { MOST_CONNECTIONS } from "./http/connections.js";
import { DEFAULT_WAITING } from "./http/waiting-bytes.js";

export const MIB = 1024 * 1024;

/** Every key of its environment. */
export const gatewaySettings = z
  .object({
    ...serviceSettings,
    ...developerSettings,
    PORT: serviceSettings.PORT.default(8080).describe("where the public API is served; 0 takes a free port"),
    RECORDS_URL: urlList().describe("address of records"),
    CARRIER_URL: urlList().describe("address of carrier"),
    TRACKING_URL: urlList().describe("address of tracking"),
    WEBHOOKS_URL: urlList().describe("address of webhooks"),
    RATE_LIMIT_PER_MINUTE: positiveInt().default(120).describe("requests per minute and API key"),
    CONCURRENCY_LIMIT: positiveInt()
      .default(DEFAULT_LIMITS.inAll)
      .describe(
        "work under way at once, in units of one read or write (a list weighs 8, a file 2); the rest waits its turn",
      ),
    ACCOUNT_CONCURRENCY_LIMIT: positiveInt()
      .default(DEFAULT_LIMITS.ofAccount)
      .describe("of it, the share that one account may have"),
    ADDRESS_REQUESTS_PER_SECOND: positiveInt()
      .default(DEFAULT_PACE.perSecond)
      .describe("pages, and refusals without an admitted API key, that an address gets in a second; the rest waits"),
    CONNECTION_LIMIT: positiveInt()
      .default(MOST_CONNECTIONS)
      .describe("connections of clients open at once; idle and slow ones are closed to make room for others"),
    UNREAD_MIB_LIMIT: positiveInt()
      .default(DEFAULT_WAITING.inAll / MIB)
      .describe("MiB of answers that may wait for their readers; beyond it, those that have waited longest are cut"),
    ACCOUNT_UNREAD_MIB_LIMIT: positiveInt()
      .default(DEFAULT_WAITING.ofAccount / MIB)
      .describe("of them, the share that one account may have"),
    STALLED_ANSWER_SECONDS: positiveInt()
      .default(30)
      .describe("seconds after which an answer of which its reader takes nothing is cut"),
  })
  .superRefine(refuseHalfAnArea);

export type GatewayConfig = z.output<typeof gatewaySettings>;

/** The settings of the gateway process. */
export function gatewayConfig(): GatewayConfig {
  return readConfig(gatewaySettings, process.env);
}
