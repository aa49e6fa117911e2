/** What may happen to a call instead of an answer. */
export type Trouble =
  /** The connection is cut before anything is done. */
  | "cut before"
  /** It is done, and the connection is cut before the answer. */
  | "cut after"
  /** It is done, and the answer says 500. */
  | "500 after"
  /** Nothing is done, and the answer says so: 503. */
  | "unavailable"
  /** It is done late, when the client has given up. */
  | "late"
  /** It is done twice, as by a proxy that repeats what it sends. */
  | "doubled";

/** How the carrier behaves. */
export interface Behaviour {
  /** Whether two bookings under one key are one. */
  takesKeys: boolean;
  /** How late an answer is that is late. */
  lateMs: number;
  /** Of which calls how many go wrong, from 0 to 1; which way is drawn from `troubles`. */
  rate: number;
  troubles: readonly Trouble[];
}

export const WELL: Behaviour = { takesKeys: true, lateMs: 1_500, rate: 0, troubles: [] };

/** All that can go wrong. */
export const TROUBLES: readonly Trouble[] = ["cut before", "cut after", "500 after", "unavailable", "late", "doubled"];

/** What goes wrong with the next call, if anything. */
export function drawTrouble({ rate, troubles }: Behaviour, random = Math.random): Trouble | undefined {
  return random() < rate ? troubles[Math.floor(random() * troubles.length)] : undefined;
}
