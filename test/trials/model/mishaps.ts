import { isTakenFrom } from "./owner.js";
import type { Rules } from "./rules.js";
import { type Message, type ModelAnswer, type Move, replaced, type State } from "./state.js";

/** Events that can happen at any time: leases end, gateways die, clients give up and return, messages get lost. */
export function mishaps(state: State, rules: Rules): Move[] {
  const sent = state.messages.filter(({ outcome }) => !outcome);
  return [
    ...leaseEnds(state),
    ...state.requests.flatMap((_, index) => partings(state, index)),
    ...sent.flatMap((message) => losses(state, message, rules)),
  ];
}

// Ended by `endLease` after an unknown outcome, or because its time is over, by any clock.
function leaseEnds(state: State): Move[] {
  const { row } = state;
  if (row?.state !== "claimed" || !row.leaseLive) return [];
  return [{ who: "registry", does: "endLease", next: { ...state, row: { ...row, leaseLive: false } } }];
}

const REPEATABLE: readonly ModelAnswer[] = ["unknown", "inProgress", "conflict"];

// A time-out counts as a death, because no one hears the outcome. So does a lost response, which needs no move of its own.
function partings(state: State, index: number): Move[] {
  const request = state.requests[index]!;
  const { letter, at, answer, repeated } = request;
  const parted = (who: string, does: Move["does"], changes: Partial<typeof request>): Move => {
    const requests = replaced(state.requests, index, { ...request, ...changes });
    return { who, does, next: { ...state, requests } };
  };
  const name = `${letter}${index + 1}`;
  if (at !== "end") return [parted(name, "dies", { at: "end", claim: undefined, answer: "unknown" })];
  if (repeated || !answer || !REPEATABLE.includes(answer)) return [];
  return [parted(`client of ${name}`, "repeats", { at: "peek", answer: undefined, repeated: true })];
}

function losses(state: State, message: Message, rules: Rules): Move[] {
  const { sender, letter, token } = message;
  const without = { ...state, messages: state.messages.filter((other) => other !== message) };
  const lost: Move = { who: `message of ${letter}${sender + 1}`, does: "is lost", next: without };
  if (rules.storesAtomically || isTakenFrom(message, state, rules)) return [lost];
  const executed = [...state.executed, { letter, token }];
  return [
    lost,
    { who: `owner of ${letter}, before it stores the result,`, does: "dies", next: { ...without, executed } },
  ];
}
