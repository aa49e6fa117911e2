/** The rules of the protocol. Each can be switched off, which shows its purpose. */
export const protocol = {
  /** `resolve` leaves a tombstone in the ledger, and `execute` respects it. */
  fences: true,
  /** `releaseClaim` makes the owner settle a claim that was sent more than once. */
  resolvesSharedClaims: true,
  /** An error is not returned if its claim is already gone when it is deleted: the registry is read again. */
  rereadsLostClaims: true,
  /** A request that finds another one in progress waits for its outcome: it is no conflict as long as that one may fail. */
  waitsForOthers: true,
  /** A request whose claim was fenced off replaces it, instead of reading the registry again and waiting for the request that did it. */
  replacesFencedClaims: true,
  /** The transport delivers a call at most once. */
  sendsOnce: true,
  /** The write and its ledger row are one statement. */
  storesAtomically: true,
};

export type Rules = Record<keyof typeof protocol, boolean>;
