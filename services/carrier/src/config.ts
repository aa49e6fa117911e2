import { busSettings, readConfig, serviceSettings, urlList } from "@shipping/kit/process/config";
import { z } from "zod";

/** Every key of its environment. */
export const carrierSettings = z.object({
  ...serviceSettings,
  ...busSettings,
  RECORDS_URL: urlList().describe("address of records, which owns the shipments"),
  TRACKING_URL: urlList().describe("address of tracking, which follows the labels"),
  WEBHOOKS_URL: urlList().describe("address of webhooks, asked which events have arrived"),
});

export type CarrierConfig = z.output<typeof carrierSettings>;

/** The settings of the carrier process. */
export function carrierConfig(): CarrierConfig {
  return readConfig(carrierSettings, process.env);
}
