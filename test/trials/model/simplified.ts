import type { Message, State } from "./state.js";

/** The simplest state with the same possible futures. Without this, the number of states is infinite. */
export function simplified(state: State): State {
  return renumbered(withoutLateReplies(state));
}

/** A response after its time-out, or after the next attempt was sent, is ignored. */
function withoutLateReplies(state: State): State {
  const late = ({ outcome, sender, token }: Message) => {
    const { at, claim } = state.requests[sender]!;
    return outcome && (at !== "receive" || claim?.token !== token);
  };
  return state.messages.some(late) ? { ...state, messages: state.messages.filter((message) => !late(message)) } : state;
}

/** The same state with the lowest tokens: only their order matters. */
function renumbered(state: State): State {
  const used = tokensIn(state);
  if (used === (1 << state.nextToken) - 2) return state;
  const kept = Array.from({ length: state.nextToken }, (_, token) => token).filter((token) => used & (1 << token));
  const low = <T extends { token: number }>(claim: T): T => ({ ...claim, token: kept.indexOf(claim.token) + 1 });
  const { row, ledgers, executed, messages, requests, sweeper } = state;
  return {
    row: row?.state === "claimed" ? low(row) : row,
    ledgers: ledgers.map((held) => held && low(held)),
    nextToken: kept.length + 1,
    executed: executed.map(low),
    messages: messages.map(low),
    requests: requests.map((request) => ({ ...request, claim: request.claim && low(request.claim) })),
    sweeper: sweeper && { ...sweeper, claim: sweeper.claim && low(sweeper.claim) },
  };
}

/** One bit each: three requests and a sweeper have fourteen at most. */
function tokensIn({ row, ledgers, executed, messages, requests, sweeper }: State): number {
  let tokens = 0;
  if (row?.state === "claimed") tokens |= 1 << row.token;
  for (const held of ledgers) if (held) tokens |= 1 << held.token;
  for (const { token } of executed) tokens |= 1 << token;
  for (const { token } of messages) tokens |= 1 << token;
  for (const { claim } of requests) if (claim) tokens |= 1 << claim.token;
  if (sweeper?.claim) tokens |= 1 << sweeper.claim.token;
  return tokens;
}
