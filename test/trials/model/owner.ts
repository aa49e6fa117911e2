import type { Rules } from "./rules.js";
import { type Claim, type Letter, type Message, type Move, ownerOf, replaced, type State } from "./state.js";
import { withMessage } from "./state-key.js";

/** The possible next moves of the owners: one for each message that is on its way to them. */
export function ownerMoves(state: State, rules: Rules): Move[] {
  return state.messages.filter(({ outcome }) => !outcome).flatMap((message) => execute(state, message, rules));
}

/** The ledger's `execute`: the statement of a write, and the second one that says who had the key. */
function execute(state: State, message: Message, rules: Rules): Move[] {
  const { sender, letter, token } = message;
  const others = state.messages.filter((other) => other !== message);
  const answer = (reply: Pick<Message, "outcome" | "holder">, around?: Partial<State>): Move => ({
    who: `owner of ${letter}`,
    does: `execute: ${reply.outcome}`,
    next: { ...state, ...around, messages: withMessage(others, { sender, letter, token, ...reply }) },
  });

  const held = state.ledgers[ownerOf(letter)];
  const holder = held?.kind === "result" ? held.letter : undefined;
  // An operation reads its resource before its statement, so it may refuse whatever the ledger contains.
  const refused = answer({ outcome: "refused" });
  if (isTakenFrom(message, state, rules)) {
    if (!holder) return [answer({ outcome: "stale" }), refused];
    return [answer(holder === letter ? { outcome: "replay" } : { outcome: "conflict", holder }), refused];
  }
  const ledgers = replaced(state.ledgers, ownerOf(letter), { kind: "result", letter, token });
  return [answer({ outcome: "snapshot" }, { ledgers, executed: [...state.executed, { letter, token }] }), refused];
}

/** Whether the ledger CTE of the message's write has no row: a result has the key, or a tombstone of this claim or a later one. */
export function isTakenFrom({ letter, token }: Claim, state: State, rules: Rules): boolean {
  const held = state.ledgers[ownerOf(letter)];
  return held?.kind === "result" || (rules.fences && held !== undefined && held.token >= token);
}

/** The ledger's `fence`, and the answer of `resolve`: the owner of a permanent result, or else the ledgers with the tombstone. */
export function fence(state: State, claim: Claim, rules: Rules): Letter | Pick<State, "ledgers"> {
  const { ledgers } = state;
  const owner = ownerOf(claim.letter);
  const held = ledgers[owner];
  if (held?.kind === "result") return held.letter;
  if (!rules.fences || (held && held.token >= claim.token)) return { ledgers };
  return { ledgers: replaced(ledgers, owner, { kind: "tombstone", token: claim.token }) };
}
