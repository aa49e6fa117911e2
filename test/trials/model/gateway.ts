import { fence } from "./owner.js";
import type { Rules } from "./rules.js";
import {
  type Claim,
  isClaim,
  type Letter,
  type Message,
  type ModelAnswer,
  type Move,
  type Request,
  replaced,
  type State,
} from "./state.js";
import { withMessage } from "./state-key.js";
import type { Does } from "./transitions.js";

/** One request in its gateway, before its next move. */
interface Turn {
  state: State;
  index: number;
  request: Request;
  rules: Rules;
  /** The move that changes the request, and the state around it, in this way. */
  move(does: Does, request: Partial<Request>, around?: Partial<State>): Move;
}

/** More attempts than these make no difference. */
const MAX_ATTEMPTS = 3;

const again = { at: "peek", claim: undefined } as const;
const ended = (answer: ModelAnswer, claim?: Claim) => ({ at: "end", claim, answer }) as const;

/** The possible next moves of a request's gateway. */
export function gatewayMoves(state: State, index: number, rules: Rules): Move[] {
  const request = state.requests[index]!;
  const who = `${request.letter}${index + 1}`;
  const move: Turn["move"] = (does, changes, around) => {
    const requests = replaced(state.requests, index, { ...request, ...changes });
    return { who, does, next: { ...state, ...around, requests } };
  };
  const turn: Turn = { state, index, request, rules, move };
  const { claim } = request;
  if (!claim) return request.at === "peek" ? [proceed(turn)] : [];
  switch (request.at) {
    case "resolve":
      return [resolveClaim(turn, claim, "takeOver")];
    case "takeOver":
      return [takeOverKey(turn, claim)];
    case "send":
      return [send(turn, claim)];
    case "receive": {
      const replies = state.messages.filter(({ sender, outcome }) => sender === index && outcome);
      return replies.map((reply) => receive(turn, claim, reply));
    }
    case "release":
      return [resolveClaim(turn, claim, "delete")];
    case "delete":
      return [deleteFencedClaim(turn, claim)];
    default:
      return [];
  }
}

// Reads and writes the registry in one move, because each write is a compare-and-set on the value that was read.
function proceed({ state, request, rules, move }: Turn): Move {
  const { row } = state;
  const { letter } = request;
  if (!row) return move("claimKey", ...claimed(state, letter));
  const equal = row.letter === letter;
  if (row.state === "done") {
    return equal ? move("readReplay", ended("replay")) : move("peekKey: done", ended("conflict"));
  }
  // A waiting request makes no move; this is its timeout.
  if (row.leaseLive) {
    return move("peekKey: lease live", ended(equal || rules.waitsForOthers ? "inProgress" : "conflict"));
  }
  const claim = { letter: row.letter, token: row.token };
  if (!equal) return move("peekKey: lease over", { at: "resolve", claim });
  const attempts = Math.min(row.attempts + 1, MAX_ATTEMPTS);
  return move("rejoinClaim", { at: "send", claim }, { row: { ...row, attempts, leaseLive: true } });
}

function resolveClaim({ state, rules, move }: Turn, claim: Claim, at: "takeOver" | "delete"): Move {
  const fenced = fence(state, claim, rules);
  if (typeof fenced === "object") return move("resolveClaim: aborted", { at }, fenced);
  return move("resolveClaim: committed", again, markDone(state, claim, fenced));
}

function takeOverKey({ state, request, move }: Turn, claim: Claim): Move {
  if (!isClaim(state.row, claim)) return move("takeOverKey: too late", again);
  return move("takeOverKey", ...claimed(state, request.letter));
}

function send({ state, index, rules, move }: Turn, claim: Claim): Move {
  const message = { sender: index, ...claim };
  const sent = withMessage(state.messages, message);
  const messages = rules.sendsOnce ? sent : withMessage(sent, { ...message, copy: true });
  return move("executeOnce: send", { at: "receive" }, { messages });
}

function receive(turn: Turn, claim: Claim, { outcome, holder }: Message): Move {
  const { state, request, rules, move } = turn;
  if (outcome === "stale") return rules.replacesFencedClaims ? takeOverKey(turn, claim) : move("peekKey", again);
  if (outcome === "snapshot" || outcome === "replay") {
    return move("markDone", ended(outcome), markDone(state, claim, request.letter));
  }
  if (holder) return move("markDone: conflict", ended("conflict"), markDone(state, claim, holder));
  return releaseClaim(turn, claim);
}

function releaseClaim({ state, rules, move }: Turn, claim: Claim): Move {
  const { row } = state;
  if (!isClaim(row, claim)) return move("releaseClaim: lost", again);
  if (row.attempts > 1 && rules.resolvesSharedClaims) return move("releaseClaim: shared", { at: "release" });
  return move("deleteSoleClaim", ended("refused", claim), { row: undefined });
}

function deleteFencedClaim({ state, rules, move }: Turn, claim: Claim): Move {
  if (isClaim(state.row, claim)) return move("deleteFencedClaim", ended("refused", claim), { row: undefined });
  return move("deleteFencedClaim: too late", rules.rereadsLostClaims ? again : ended("refused", claim));
}

/** The registry after `markDone` by any caller. */
export function markDone({ row }: State, claim: Claim, letter: Letter): Pick<State, "row"> {
  return { row: isClaim(row, claim) ? { state: "done", letter } : row };
}

function claimed(state: State, letter: Letter): [Partial<Request>, Partial<State>] {
  const claim = { letter, token: state.nextToken };
  const row = { ...claim, state: "claimed", attempts: 1, leaseLive: true } as const;
  return [
    { at: "send", claim },
    { row, nextToken: state.nextToken + 1 },
  ];
}
