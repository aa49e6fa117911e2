import type { Environment } from "@shipping/kit/caller";
import type { Scope } from "../../admission/api-key.js";

/** Describes in words what each scope allows. */
export const SCOPE_WORDS: Record<Scope, string> = {
  "account:read": "View the account's name, limits and capabilities",
  "orders:write": "Create orders",
  "orders:read": "View orders",
  "shipments:write": "Create shipments",
  "shipments:read": "View shipments and tracking",
  "rates:read": "Request rates",
  "labels:write": "Create and void labels",
  "labels:read": "View labels and download their files",
  "webhooks:write": "Create and disable webhook subscriptions",
  "webhooks:read": "View webhook subscriptions",
};

/**
 * Exactly the scopes that the quick starts need: for the account, and from order to label where there is a carrier, otherwise from order to
 * shipment.
 */
export const FIRST_SCOPES: Record<Environment, readonly Scope[]> = {
  sandbox: ["account:read", "orders:write", "shipments:write", "rates:read", "labels:write", "labels:read"],
  live: ["account:read", "orders:write", "shipments:write"],
};

/** For how long a new key may be made; 90 days unless told otherwise. */
export const EXPIRIES = { "30d": 30, "90d": 90, "365d": 365, never: undefined } as const;

export type Expiry = keyof typeof EXPIRIES;

/** How an expiry is called. */
export function expiryWords(expiry: Expiry): string {
  const days = EXPIRIES[expiry];
  return days === undefined ? "Never" : `In ${days} days`;
}
