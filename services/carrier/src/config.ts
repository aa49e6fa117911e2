import { busSettings, readConfig, serviceSettings, urlList } from "@shipping/kit/process/config";
import { z } from "zod";

const trialSettings = {
  TRIAL_CARRIER_MODULE: z
    .string()
    .optional()
    .describe("path of a module with the adapter of a carrier for trials; refused in production"),
  // Only the adapter knows its form and its parameters.
  TRIAL_CARRIER_URL: z.string().optional().describe("URL of the carrier for trials"),
  TRIAL_CARRIER_ACCOUNT: z.string().optional().describe("ID of the account whose sandbox gets the carrier for trials"),
};

type TrialConfig = z.output<z.ZodObject<typeof trialSettings>> & { NODE_ENV?: string | undefined };

/** Checks that the settings of a carrier for trials are complete, and refuses them in production. */
function refuseTrialInProduction(config: TrialConfig, context: z.RefinementCtx): void {
  const named = (Object.keys(trialSettings) as (keyof typeof trialSettings)[]).filter(
    (key) => config[key] !== undefined,
  );
  const isComplete = named.length === Object.keys(trialSettings).length;
  const isProduction = config.NODE_ENV === "production";
  if (isComplete && !isProduction) return;
  const message = isProduction ? "is refused in production" : "needs the other settings of the carrier for trials";
  for (const key of named) context.addIssue({ code: "custom", path: [key], message });
}

export const carrierSettings = z
  .object({
    ...serviceSettings,
    ...busSettings,
    ...trialSettings,
    RECORDS_URL: urlList().describe("URL of the records service"),
    TRACKING_URL: urlList().describe("URL of the tracking service"),
    WEBHOOKS_URL: urlList().describe("URL of the webhooks service"),
  })
  .superRefine(refuseTrialInProduction);

export type CarrierConfig = z.output<typeof carrierSettings>;

export function carrierConfig(): CarrierConfig {
  return readConfig(carrierSettings, process.env);
}
