/** The ingredients of the protocol. Each can be taken away, to see what it is there for. */
export interface Rules {
  /** `resolve` leaves a tombstone in the ledger, and `execute` heeds it. */
  fences: boolean;
  /** `releaseClaim` has the owner settle a claim that was sent more than once. */
  resolvesSharedClaims: boolean;
  /** A refusal is not reported if the claim is gone by the time it is to be deleted: the registry is read again. */
  rereadsLostClaims: boolean;
  /** A request that finds another one under way waits for its outcome: it is no conflict as long as that may fail. */
  waitsForOthers: boolean;
  /** Whoever hears that its claim was fenced off replaces it, rather than read the registry again and wait for the one who did it. */
  replacesFencedClaims: boolean;
  /** The transport delivers a call at most once. */
  sendsOnce: boolean;
  /** The write and its ledger row are one statement. */
  storesAtomically: boolean;
}

export const protocol: Rules = {
  fences: true,
  resolvesSharedClaims: true,
  rereadsLostClaims: true,
  waitsForOthers: true,
  replacesFencedClaims: true,
  sendsOnce: true,
  storesAtomically: true,
};
