import type { Caller, Claim } from "@shipping/kit/caller";
import type { RemoteCarrier, StandingBooking } from "../carriers/carrier.js";

/**
 * What a booking is to become. `asked`: a label, if its claim still holds when the carrier's answer is recorded. `held`: a label has it.
 * `voiding`: its label is to be voided, once the carrier has cancelled it. `cancelling`: nobody wants it any more. `over`: nothing stands
 * at the carrier. `held` comes back after `voiding` if the carrier refuses; nothing else goes back.
 */
export type BookingState = "asked" | "held" | "voiding" | "cancelling" | "over";

/** A row of bookings, taken by whoever holds its `turn`. */
export interface BookingRow {
  accountId: string;
  environment: Caller["environment"];
  /** The key towards the carrier. */
  id: string;
  shipmentId: string;
  carrier: string;
  state: BookingState;
  idempotencyKey: string;
  fingerprint: Buffer;
  token: bigint;
  requestedBy: string;
  requestId: string;
  reference: string | null;
  turn: number;
  /** Whether a call before this turn may still take effect. */
  inDoubt: boolean;
  createdAt: Date;
}

/** Who the booking is for. */
export function callerIn({ accountId, environment }: BookingRow): Caller {
  return { accountId, environment };
}

/** The claim under which its label is made. */
export function claimIn({ idempotencyKey, token, fingerprint, requestedBy, requestId }: BookingRow): Claim {
  return { idempotencyKey, token, fingerprint, requestedBy, requestId };
}

/** Whether a carrier that has nothing under the key may be asked to book. One that does not take keys might then have two. */
export function mayBook(
  { inDoubt }: Pick<BookingRow, "inDoubt">,
  { takesKeys }: Pick<RemoteCarrier, "takesKeys">,
): boolean {
  return takesKeys || !inDoubt;
}

/** What stands under the key and belongs to no label. */
export function surplus(
  row: Pick<BookingRow, "state" | "reference">,
  standing: readonly StandingBooking[],
): StandingBooking[] {
  const kept = row.state === "held" || row.state === "voiding" ? row.reference : null;
  return standing.filter(({ reference }) => reference !== kept);
}

/** How long the worker waits after it could not settle a booking: half a second, and twice as long each time, up to a minute. */
export function pauseMs(turn: number): number {
  return Math.min(500 * 2 ** Math.min(turn, 7), 60_000);
}
