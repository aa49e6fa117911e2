import { busSettings, readConfig, serviceSettings, urlList } from "@shipping/kit/config";
import { z } from "zod";

const settings = z.object({
  ...serviceSettings,
  ...busSettings,
  WEBHOOKS_URL: urlList().describe("address of webhooks, asked which events have arrived"),
});

export type RecordsConfig = z.output<typeof settings>;

/** The settings of the records process. */
export function recordsConfig(): RecordsConfig {
  return readConfig(settings, process.env);
}
