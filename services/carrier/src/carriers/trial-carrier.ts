import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { FaultPoints } from "@shipping/kit/service/fault-points";
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

/** Adds the fault points `before-call <method>` and `after-call <method>` around each call. */
export function carrierWithFaultPoints(carrier: RemoteCarrier, faultPoints: FaultPoints | undefined): RemoteCarrier {
  if (!faultPoints) return carrier;
  async function around<T>(method: string, call: () => Promise<T>): Promise<T> {
    faultPoints?.at(`before-call ${method}`);
    const answer = await call();
    faultPoints?.at(`after-call ${method}`);
    return answer;
  }
  return {
    ...carrier,
    book: (...call) => around("book", () => carrier.book(...call)),
    find: (...call) => around("find", () => carrier.find(...call)),
    cancel: (...call) => around("cancel", () => carrier.cancel(...call)),
  };
}
