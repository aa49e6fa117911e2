/** What the code can do to a key, by the names of its functions. */
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

/** What happens in a move, and what came of it; or what nobody's code does. */
export type Does = Transition | `${Transition}: ${string}` | "dies" | "is lost" | "repeats";
