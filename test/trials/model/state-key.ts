import type { LedgerRow, Message, Request, Row, State } from "./state.js";

/** The same key for states with the same possible futures: equal requests, here the first and the last, are interchangeable. */
export function keyOf(state: State): string {
  const key = keyInOrder(state);
  const { requests, messages } = state;
  const last = requests.length - 1;
  if (last < 1 || requests[0]?.letter !== requests[last]?.letter) return key;
  const places = requests.map((_, index) => (index === 0 ? last : index === last ? 0 : index));
  const mirrored = keyInOrder({
    ...state,
    requests: places.map((place) => requests[place]!),
    messages: messages.map((message) => ({ ...message, sender: places[message.sender]! })),
  });
  if (mirrored < key) return mirrored;
  return key;
}

/** Equal messages count as one: two of them allow the same moves as the messages of two equal requests. */
export function withMessage(messages: readonly Message[], message: Message): readonly Message[] {
  const key = keyOfMessage(message);
  return messages.some((other) => keyOfMessage(other) === key) ? messages : [...messages, message];
}

function keyInOrder({ row, ledgers, nextToken, executed, messages, requests, sweeper }: State): string {
  let key = `${row ? keyOfRow(row) : "-"}|${nextToken}`;
  for (const held of ledgers) key += `|${held ? keyOfHeld(held) : ""}`;
  for (const { letter, token } of executed) key += letter + token;
  for (const request of requests) key += `|${keyOfRequest(request)}`;
  if (messages.length > 0) key += `|${messages.map(keyOfMessage).sort().join()}`;
  return sweeper ? `${key}|${sweeper.at}${sweeper.claim?.token ?? ""}` : key;
}

function keyOfRow(row: Row): string {
  return row.state === "done" ? row.letter : `${row.letter}${row.attempts}${row.leaseLive ? "!" : "."}${row.token}`;
}

function keyOfHeld(held: LedgerRow): string {
  return `${held.kind === "result" ? held.letter : "t"}${held.token}`;
}

function keyOfRequest({ at, claim, answer, repeated }: Request): string {
  return `${at}${claim?.token ?? ""}${answer ?? ""}${repeated ? "+" : ""}`;
}

function keyOfMessage({ sender, token, outcome, copy }: Message): string {
  return `${sender}:${token}${copy ? "+" : ""}${outcome ?? ""}`;
}
