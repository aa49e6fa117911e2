import { gatewayMoves } from "./gateway.js";
import { mishaps } from "./mishaps.js";
import { ownerMoves } from "./owner.js";
import { createLockSearch } from "./progress.js";
import { brokenPromise } from "./promises.js";
import type { Rules } from "./rules.js";
import { simplified } from "./simplified.js";
import { initialState, type Letter, type Move, type State } from "./state.js";
import { keyOf } from "./state-key.js";
import { sweeperMoves } from "./sweeper.js";
import { type Exploration, movesOn, type Way } from "./way.js";

export interface Scenario {
  /** The requests that compete for one key. Each is repeated once at most. */
  requests: readonly Letter[];
  rules: Rules;
  /** Whether claims are swept as well. */
  sweeps?: boolean;
  /** Maximum number of moves from the start; unlimited if undefined. */
  depth?: number;
}

/** Visits every state that can be reached, nearest first, until a promise is broken. */
export function explore({ requests, rules, sweeps = false, depth = Number.POSITIVE_INFINITY }: Scenario): Exploration {
  const lockOf = createLockSearch(requests, rules);
  const start = initialState(requests, sweeps);
  const seen = new Set([keyOf(start)]);
  let frontier: { state: State; way: Way | undefined }[] = [{ state: start, way: undefined }];
  for (let far = 0; frontier.length > 0 && far < depth; far++) {
    const beyond: typeof frontier = [];
    for (const visit of frontier) {
      for (const { who, does, next } of movesOf(visit.state, rules)) {
        const state = simplified(next);
        const key = keyOf(state);
        const broken = brokenPromise(visit.state, state) ?? (seen.has(key) ? undefined : lockOf(state));
        if (!broken && seen.has(key)) continue;
        const way = { before: visit.way, move: `${who}: ${does}` };
        if (broken) return { states: seen.size, counterexample: { broken, moves: movesOn(way) } };
        seen.add(key);
        beyond.push({ state, way });
      }
    }
    frontier = beyond;
  }
  return { states: seen.size };
}

function movesOf(state: State, rules: Rules): Move[] {
  return [
    ...state.requests.flatMap((_, index) => gatewayMoves(state, index, rules)),
    ...ownerMoves(state, rules),
    ...sweeperMoves(state, rules),
    ...mishaps(state, rules),
  ];
}
