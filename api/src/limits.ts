import type { Environment } from "@shipping/kit/caller";

/** How many keys of an account and environment can be active; a trigger on `api_keys` enforces it. */
export const ACTIVE_KEYS_LIMIT = 50;

/** How many subscriptions of an account and environment can be active. */
export const ACTIVE_WEBHOOKS_LIMIT = 10;

/** The capabilities of an environment: no carrier is configured for the live one. */
export function getCapabilities(environment: Environment) {
  const isLive = environment === "live";
  return { orders: true, shipments: true, webhooks: true, rates: !isLive, labels: !isLive, tracking: !isLive };
}
