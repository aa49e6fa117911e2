import { type Exploration, exploreStates } from "./explore-states.js";
import { gatewayMoves } from "./gateway.js";
import { mishaps } from "./mishaps.js";
import { ownerMoves } from "./owner.js";
import { createLockSearch } from "./progress.js";
import { brokenPromise } from "./promises.js";
import type { Rules } from "./rules.js";
import { simplified } from "./simplified.js";
import { initialState, type Letter } from "./state.js";
import { keyOf } from "./state-key.js";
import { sweeperMoves } from "./sweeper.js";

export interface Scenario {
  /** The requests that compete for one key. Each is repeated once at most. */
  requests: readonly Letter[];
  rules: Rules;
  /** Whether claims are swept as well. */
  sweeps?: boolean;
  /** Maximum number of moves from the start; unlimited if undefined. */
  depth?: number;
}

/** Visits every state of the protocol that can be reached, nearest first, until a promise is broken. */
export function explore({ requests, rules, sweeps = false, depth }: Scenario): Exploration {
  const lockOf = createLockSearch(requests, rules);
  return exploreStates(initialState(requests, sweeps), {
    keyOf,
    depth,
    movesFrom: (state) =>
      [
        ...state.requests.flatMap((_, index) => gatewayMoves(state, index, rules)),
        ...ownerMoves(state, rules),
        ...sweeperMoves(state, rules),
        ...mishaps(state, rules),
      ].map(({ who, does, next }) => ({ move: `${who}: ${does}`, next: simplified(next) })),
    brokenBy: (before, next, isNew) => brokenPromise(before, next) ?? (isNew ? lockOf(next) : undefined),
  });
}
