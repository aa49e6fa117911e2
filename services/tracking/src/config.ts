import { readConfig, serviceSettings } from "@shipping/kit/process/config";
import { z } from "zod";

export const trackingSettings = z.object(serviceSettings);

export type TrackingConfig = z.output<typeof trackingSettings>;

export function trackingConfig(): TrackingConfig {
  return readConfig(trackingSettings, process.env);
}
