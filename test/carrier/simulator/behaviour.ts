/** A failure that may happen to a call. */
export type Trouble =
  /** The connection is cut before the call is executed. */
  | "cut before"
  /** The call is executed, and the connection is cut before the response. */
  | "cut after"
  /** The call is executed, and the response is 500. */
  | "500 after"
  /** The call is not executed, and the response says so: 503. */
  | "unavailable"
  /** The call is executed after the client has given up. */
  | "late"
  /** The call is executed twice, as by a proxy that repeats requests. */
  | "doubled";

/** How the carrier behaves. */
export interface Behaviour {
  /** Whether two bookings with one key are the same booking. */
  takesKeys: boolean;
  /** Delay of a late response. */
  lateMs: number;
  /** The share of calls that fail, from 0 to 1. The failure is drawn from `troubles`. */
  rate: number;
  troubles: readonly Trouble[];
}

export const WELL: Behaviour = { takesKeys: true, lateMs: 1_500, rate: 0, troubles: [] };

/** All possible failures. */
export const TROUBLES: readonly Trouble[] = ["cut before", "cut after", "500 after", "unavailable", "late", "doubled"];

/** The failure of the next call, if any. */
export function drawTrouble({ rate, troubles }: Behaviour, random = Math.random): Trouble | undefined {
  return random() < rate ? troubles[Math.floor(random() * troubles.length)] : undefined;
}
