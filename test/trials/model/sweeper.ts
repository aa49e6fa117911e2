import { markDone } from "./gateway.js";
import { fence } from "./owner.js";
import type { Rules } from "./rules.js";
import { isClaim, type Move, type State, type Sweeper } from "./state.js";
import type { Does } from "./transitions.js";

/** The possible next moves of a sweeper. It may sweep any claim whose lease is over, because the time since then makes no difference to safety. */
export function sweeperMoves(state: State, rules: Rules): Move[] {
  const { row, sweeper } = state;
  if (!sweeper) return [];
  const move = (does: Does, changes: Sweeper, around?: Partial<State>): Move[] => [
    { who: "sweeper", does, next: { ...state, ...around, sweeper: changes } },
  ];
  const { at, claim } = sweeper;
  const swept: Sweeper = { at: "sweep", claim: undefined };
  if (!claim) {
    if (row?.state !== "claimed" || row.leaseLive) return [];
    return move("sweepClaims", { at: "resolve", claim: { letter: row.letter, token: row.token } });
  }
  if (at === "delete") {
    if (!isClaim(row, claim)) return move("deleteFencedClaim: too late", swept);
    return move("deleteFencedClaim", swept, { row: undefined });
  }
  const fenced = fence(state, claim, rules);
  if (typeof fenced === "object") return move("resolveClaim: aborted", { at: "delete", claim }, fenced);
  return move("resolveClaim: committed", swept, markDone(state, claim, fenced));
}
