import { type Exploration, movesOn, type Way } from "../way.js";
import { mishaps } from "./mishaps.js";
import { movesOf } from "./moves.js";
import type { Rules } from "./rules.js";
import { brokenPromise, initialState, isQuiet, type Move, type State } from "./state.js";

export interface Scenario {
  rules: Rules;
  takesKeys: boolean;
  /** The key of each customer's process that may send. */
  keys: readonly number[];
  left: State["left"];
}

/** Visits every state that can be reached, nearest first, until a promise is broken. */
export function explore({ rules, takesKeys, keys, left }: Scenario): Exploration {
  const start = initialState(keys, left);
  const first = JSON.stringify(start);
  const seen = new Set([first]);
  let frontier: { key: string; way: Way | undefined }[] = [{ key: first, way: undefined }];
  while (frontier.length > 0) {
    const beyond: typeof frontier = [];
    for (const visit of frontier) {
      const before = JSON.parse(visit.key) as State;
      const moves = everyMove(before, rules, takesKeys);
      if (moves.length === 0 && !isQuiet(before))
        return { states: seen.size, counterexample: { broken: "stuck", moves: movesOn(visit.way) } };
      for (const { does, act } of moves) {
        const state = JSON.parse(visit.key) as State;
        act(state);
        const key = JSON.stringify(state);
        if (seen.has(key)) continue;
        seen.add(key);
        const way = { before: visit.way, move: does };
        const broken = brokenPromise(state);
        if (broken) return { states: seen.size, counterexample: { broken, moves: movesOn(way) } };
        beyond.push({ key, way });
      }
    }
    frontier = beyond;
  }
  return { states: seen.size };
}

function everyMove(state: State, rules: Rules, takesKeys: boolean): Move[] {
  return [...state.drivers.flatMap((_, who) => movesOf(state, who, rules, takesKeys)), ...mishaps(state, takesKeys)];
}
