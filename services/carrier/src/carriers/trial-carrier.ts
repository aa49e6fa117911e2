import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Carriers, RemoteCarrier } from "./carrier.js";

/** Loads the carrier for trials, if the settings name one. Its module is not part of the platform: the operator provides it. */
export async function loadTrialCarrier(config: {
  TRIAL_CARRIER_MODULE?: string | undefined;
  TRIAL_CARRIER_URL?: string | undefined;
  TRIAL_CARRIER_ACCOUNT?: string | undefined;
}): Promise<Carriers["trial"]> {
  const { TRIAL_CARRIER_MODULE: path, TRIAL_CARRIER_URL: url = "", TRIAL_CARRIER_ACCOUNT: accountId = "" } = config;
  if (path === undefined) return undefined;
  const adapter: { openCarrier(url: string): RemoteCarrier } = await import(pathToFileURL(resolve(path)).href);
  return { accountId, carrier: adapter.openCarrier(url) };
}
