import type { KeyRing } from "./key-ring.js";
import { secretIdentity } from "./subscription.js";

/** The secrets of subscriptions, as their deliveries need them. */
export interface Secrets {
  /** Opens what is stored of a subscription. Throws if the key ring cannot. */
  open(subscriptionId: string, sealed: Uint8Array): string;
}

interface Opened {
  sealed: Uint8Array;
  secret: string;
}

/**
 * Keeps what it opened last, up to `max`: a secret serves every delivery of its subscription, and the process holds the key to all of
 * them anyway. What is sealed anew is opened anew.
 */
export function createSecrets(keyRing: KeyRing, max = 1_000): Secrets {
  const kept = new Map<string, Opened>();
  return {
    open(subscriptionId, sealed) {
      const known = kept.get(subscriptionId);
      if (known && Buffer.compare(known.sealed, sealed) === 0) return known.secret;
      const secret = Buffer.from(keyRing.open(sealed, secretIdentity(subscriptionId))).toString();
      kept.delete(subscriptionId);
      kept.set(subscriptionId, { sealed, secret });
      for (const oldest of kept.keys()) {
        if (kept.size <= max) break;
        kept.delete(oldest);
      }
      return secret;
    },
  };
}
