/** The code's actions on a key, by the names of its functions. */
export const transitions = [
  "peekKey",
  "claimKey",
  "rejoinClaim",
  "takeOverKey",
  "endLease",
  "deleteSoleClaim",
  "deleteFencedClaim",
  "executeOnce",
  "releaseClaim",
  "resolveClaim",
  "markDone",
  "readReplay",
  "sweepClaims",
  "execute",
] as const;

type Transition = (typeof transitions)[number];

/** The event and the result of a move; or an event outside the code. */
export type Does = Transition | `${Transition}: ${string}` | "dies" | "is lost" | "repeats";
