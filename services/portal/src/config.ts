import { refuseFormerSettings, rpcPortSetting } from "@shipping/kit/http/settings";
import { type Env, readConfig, serviceSettings, urlList } from "@shipping/kit/process/config";
import { z } from "zod";
import { areaSettings, checkAreaSettings } from "./session/settings.js";

export const portalSettings = z
  .object({
    ...serviceSettings,
    ...areaSettings,
    ...rpcPortSetting,
    PORT: serviceSettings.PORT.default(8080).describe(
      "port of the developer area and the documentation; 0 picks a free port",
    ),
    GATEWAY_URL: urlList().describe("URL of the gateway's RPC port"),
    RECORDS_URL: urlList().describe("URL of the records service"),
    CARRIER_URL: urlList().describe("URL of the carrier service"),
    TRACKING_URL: urlList().describe("URL of the tracking service"),
    WEBHOOKS_URL: urlList().describe("URL of the webhooks service"),
  })
  .superRefine(checkAreaSettings);

export function portalConfig(env: Env = process.env): z.output<typeof portalSettings> {
  refuseFormerSettings(env);
  return readConfig(portalSettings, env);
}
