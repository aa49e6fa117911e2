import type { KeyRing } from "../subscriptions/key-ring.js";
import { secretIdentity } from "../subscriptions/subscription.js";

/** Where a subscription's events go, and the secret that signs them. */
export interface Target {
  url: URL;
  secret: string;
}

/** The targets of subscriptions, as their deliveries need them. */
export interface Targets {
  /** Returns the target for a stored one. Throws if the key ring cannot open its secret. */
  of(stored: StoredTarget): Target;
}

/** A target as it is stored. */
export interface StoredTarget {
  subscriptionId: string;
  url: string;
  sealedSecret: Uint8Array;
}

interface Kept {
  stored: StoredTarget;
  target: Target;
}

/**
 * Caches up to `max` targets: one serves every delivery of its subscription, and the process holds the key to all of their secrets anyway.
 * If a stored row changes, even if its secret is only sealed with another key, it is read again.
 */
export function createTargets(keyRing: KeyRing, max = 1_000): Targets {
  const kept = new Map<string, Kept>();

  function read({ subscriptionId, url, sealedSecret }: StoredTarget): Target {
    const secret = keyRing.open(sealedSecret, secretIdentity(subscriptionId));
    return { url: new URL(url), secret: Buffer.from(secret).toString() };
  }

  function keep(one: Kept): void {
    kept.delete(one.stored.subscriptionId);
    kept.set(one.stored.subscriptionId, one);
    for (const oldest of kept.keys()) {
      if (kept.size <= max) break;
      kept.delete(oldest);
    }
  }

  return {
    of({ subscriptionId, url, sealedSecret }) {
      const known = kept.get(subscriptionId);
      if (known?.stored.url === url && Buffer.compare(known.stored.sealedSecret, sealedSecret) === 0)
        return known.target;
      const stored = { subscriptionId, url, sealedSecret };
      const target = read(stored);
      keep({ stored, target });
      return target;
    },
  };
}
