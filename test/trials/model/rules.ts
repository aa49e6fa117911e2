/** The rules of the protocol. Each can be switched off, which shows its purpose. */
export interface Rules {
  /** `resolve` leaves a tombstone in the ledger, and `execute` respects it. */
  fences: boolean;
  /** `releaseClaim` makes the owner settle a claim that was sent more than once. */
  resolvesSharedClaims: boolean;
  /** An error is not returned if its claim is already gone when it is deleted: the registry is read again. */
  rereadsLostClaims: boolean;
  /** A request that finds another one in progress waits for its outcome: it is no conflict as long as that one may fail. */
  waitsForOthers: boolean;
  /** A request whose claim was fenced off replaces it, instead of reading the registry again and waiting for the request that did it. */
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
