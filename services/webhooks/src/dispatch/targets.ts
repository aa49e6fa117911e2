import { keepNewest } from "../egress/keep-newest.js";
import type { KeyRing } from "../subscriptions/key-ring.js";
import { secretIdentity } from "../subscriptions/subscription.js";
import type { ClaimedDelivery } from "./attempts.js";

/** The URL to which a subscription's events are sent, and the secret that signs them. */
export interface Target {
  url: URL;
  secret: string;
}

export type Targets = ReturnType<typeof createTargets>;
export type StoredTarget = Pick<ClaimedDelivery, "subscriptionId" | "url" | "sealedSecret">;

/**
 * Caches up to `max` targets: one serves every delivery of its subscription, and the process holds the key to all of their secrets anyway.
 * If a stored row changes, even if its secret is only sealed with another key, it is read again.
 */
export function createTargets(keyRing: KeyRing, max = 1_000) {
  const kept = new Map<string, { url: string; sealedSecret: Uint8Array; target: Target }>();
  return {
    /** Returns the target for a stored one. Throws if the key ring cannot open its secret. */
    of({ subscriptionId, url, sealedSecret }: StoredTarget): Target {
      const known = kept.get(subscriptionId);
      if (known?.url === url && Buffer.compare(known.sealedSecret, sealedSecret) === 0) return known.target;
      const secret = keyRing.open(sealedSecret, secretIdentity(subscriptionId));
      const target = { url: new URL(url), secret: Buffer.from(secret).toString() };
      keepNewest(kept, subscriptionId, { url, sealedSecret, target }, max);
      return target;
    },
  };
}
