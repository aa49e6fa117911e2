import { busSettings, readConfig, serviceSettings, urlList } from "@shipping/kit/process/config";
import { z } from "zod";

export const recordsSettings = z.object({
  ...serviceSettings,
  ...busSettings,
  WEBHOOKS_URL: urlList().describe("URL of the webhooks service"),
});

export type RecordsConfig = z.output<typeof recordsSettings>;

export function recordsConfig(): RecordsConfig {
  return readConfig(recordsSettings, process.env);
}
