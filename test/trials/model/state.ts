import type { Does } from "./transitions.js";

/** The content of a request. Equal letters have equal fingerprints; A and C belong to one owner, B to another. */
export type Letter = "A" | "B" | "C";

/** A claim as requests and sweepers remember it. */
export interface Claim {
  letter: Letter;
  token: number;
}

/** The registry's row of the key. */
export type Row =
  | (Claim & { state: "claimed"; attempts: number; leaseLive: boolean })
  | { state: "done"; letter: Letter };

/** An owner's ledger row of the key. */
export type LedgerRow = { kind: "tombstone"; token: number } | (Claim & { kind: "result" });

/** A write on its way to its owner, or its outcome on the way back. */
export interface Message extends Claim {
  sender: number;
  outcome?: "snapshot" | "replay" | "conflict" | "stale" | "refused";
  /** The request whose result the owner has, in a conflict. */
  holder?: Letter;
  /** Made by a transport that delivers twice. */
  copy?: boolean;
}

/** The client's response. `inProgress` ends a wait that was too long, `unknown` is 503 or no response at all. */
export type ModelAnswer = "snapshot" | "replay" | "conflict" | "refused" | "inProgress" | "unknown";

/** A request, and its position in `executeOnce`. */
export interface Request {
  letter: Letter;
  at: "peek" | "resolve" | "takeOver" | "send" | "receive" | "release" | "delete" | "end";
  /** The request's own claim, or the other request's that it resolves and takes over; at its end the one under which it was refused. */
  claim: Claim | undefined;
  answer: ModelAnswer | undefined;
  /** Whether the client has sent it a second time. */
  repeated: boolean;
}

/** A process that settles abandoned claims. */
export interface Sweeper {
  at: "sweep" | "resolve" | "delete";
  claim: Claim | undefined;
}

/** One key, its requests and sweepers, and all messages between them. */
export interface State {
  row: Row | undefined;
  ledgers: readonly (LedgerRow | undefined)[];
  nextToken: number;
  /** The writes that were executed. */
  executed: readonly Claim[];
  messages: readonly Message[];
  requests: readonly Request[];
  sweeper: Sweeper | undefined;
}

/** One possible next step. */
export interface Move {
  who: string;
  does: Does;
  next: State;
}

export function newRequest(letter: Letter): Request {
  return { letter, at: "peek", claim: undefined, answer: undefined, repeated: false };
}

export function initialState(letters: readonly Letter[], sweeps: boolean): State {
  return {
    row: undefined,
    ledgers: [undefined, undefined],
    nextToken: 1,
    executed: [],
    messages: [],
    requests: letters.map(newRequest),
    sweeper: sweeps ? { at: "sweep", claim: undefined } : undefined,
  };
}

/** The index of the ledger that holds the result of such a request. */
export function ownerOf(letter: Letter): number {
  return letter === "B" ? 1 : 0;
}

export function isClaim(row: Row | undefined, claim: Claim): row is Row & { state: "claimed" } {
  return row?.state === "claimed" && row.token === claim.token;
}

export function replaced<T>(list: readonly T[], index: number, value: T): T[] {
  const copy = [...list];
  copy[index] = value;
  return copy;
}
