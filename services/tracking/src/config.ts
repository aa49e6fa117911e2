import { readConfig, serviceSettings } from "@shipping/kit/process/config";
import { z } from "zod";

/** Every key of its environment. */
export const trackingSettings = z.object(serviceSettings);

export type TrackingConfig = z.output<typeof trackingSettings>;

/** The settings of the tracking process. */
export function trackingConfig(): TrackingConfig {
  return readConfig(trackingSettings, process.env);
}
