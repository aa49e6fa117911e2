import { type Exploration, exploreStates } from "../explore-states.js";
import { mishaps } from "./mishaps.js";
import { movesOf } from "./moves.js";
import type { Rules } from "./rules.js";
import { brokenPromise, initialState, isQuiet, type State } from "./state.js";

export interface Scenario {
  rules: Rules;
  takesKeys: boolean;
  /** The key of each customer's process that may send. */
  keys: readonly number[];
  left: State["left"];
}

/** Visits every state of the protocol that can be reached, nearest first, until a promise is broken. */
export function explore({ rules, takesKeys, keys, left }: Scenario): Exploration {
  return exploreStates(initialState(keys, left), {
    keyOf: (state) => JSON.stringify(state),
    *movesFrom(state) {
      const drivers = state.drivers.flatMap((_, who) => movesOf(state, who, rules, takesKeys));
      const text = JSON.stringify(state);
      for (const { does, act } of [...drivers, ...mishaps(state, takesKeys)]) {
        const next: State = JSON.parse(text);
        act(next);
        yield { move: does, next };
      }
    },
    brokenBy: (_, next, isNew) => (isNew ? brokenPromise(next) : undefined),
    brokenAtEnd: (state) => (isQuiet(state) ? undefined : "stuck"),
  });
}
