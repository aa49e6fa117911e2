import { busSettings, readConfig, serviceSettings, urlList } from "@shipping/kit/process/config";
import { z } from "zod";

/** Every key of its environment. */
export const carrierSettings = z.object({
  ...serviceSettings,
  ...busSettings,
  RECORDS_URL: urlList().describe("URL of the records service"),
  TRACKING_URL: urlList().describe("URL of the tracking service"),
  WEBHOOKS_URL: urlList().describe("URL of the webhooks service"),
});

export type CarrierConfig = z.output<typeof carrierSettings>;

/** The settings of the carrier process. */
export function carrierConfig(): CarrierConfig {
  return readConfig(carrierSettings, process.env);
}
