import { gatewayMoves } from "./gateway.js";
import { ownerMoves } from "./owner.js";
import type { Rules } from "./rules.js";
import { simplified } from "./simplified.js";
import { type Letter, newRequest, type State } from "./state.js";
import { keyOf } from "./state-key.js";

/**
 * Searches for keys that are locked permanently. In any state, all requests and sweepers may die, messages get lost and leases end. If a fresh
 * request that then comes alone always gets a success or a definite error, no key is ever locked.
 */
export function createLockSearch(letters: readonly Letter[], rules: Rules): (state: State) => string | undefined {
  const findings = new Map<string, string | undefined>();
  return ({ row, ledgers, nextToken }) => {
    const left: State = { row, ledgers, nextToken, executed: [], messages: [], requests: [], sweeper: undefined };
    const deserted = simplified(withoutLease(left));
    const key = keyOf(deserted);
    if (!findings.has(key)) {
      const alone = (letter: Letter) => ({ ...deserted, requests: [newRequest(letter)] });
      const stuck = letters.find((letter) => !ends(alone(letter), rules, new Set()));
      findings.set(key, stuck && `locked for ${stuck}`);
    }
    return findings.get(key);
  };
}

/** Whether the only request ends on every path, without a cycle. No lease lasts longer than its timeout. */
function ends(state: State, rules: Rules, before: ReadonlySet<string>): boolean {
  if (state.requests[0]?.at === "end") return true;
  const key = keyOf(state);
  if (before.has(key)) return false;
  const moves = [...gatewayMoves(state, 0, rules), ...ownerMoves(state, rules)];
  const way = new Set([...before, key]);
  return moves.length > 0 && moves.every(({ next }) => ends(withoutLease(simplified(next)), rules, way));
}

function withoutLease(state: State): State {
  const { row } = state;
  return row?.state === "claimed" ? { ...state, row: { ...row, leaseLive: false } } : state;
}
