import { readConfig, serviceSettings } from "@shipping/kit/config";
import { z } from "zod";

const settings = z.object(serviceSettings);

export type TrackingConfig = z.output<typeof settings>;

/** The settings of the tracking process. */
export function trackingConfig(): TrackingConfig {
  return readConfig(settings, process.env);
}
