import type { Caller, Claim } from "@shipping/kit/caller";
import type { Columns, Row } from "@shipping/kit/postgres/columns";

/**
 * The state of a booking. `asked`: becomes a label, if its claim is still valid when the carrier's answer is stored. `held`: a label has it.
 * `voiding`: its label will be voided once the carrier has cancelled it. `cancelling`: no label will have it. `over`: the carrier has no
 * active booking. A booking returns from `voiding` to `held` if the carrier refuses; no other state goes back.
 */
export type BookingState = "asked" | "held" | "voiding" | "cancelling" | "over";

export const bookingColumns = {
  accountId: "text",
  environment: "text",
  /** The key by which the carrier knows the booking. */
  id: "text",
  shipmentId: "text",
  carrier: "text",
  state: "text",
  idempotencyKey: "text",
  fingerprint: "bytea",
  token: "bigint",
  requestedBy: "text",
  requestId: "text",
  reference: "text?",
  turn: "integer",
  dueAt: "timestamptz?",
  problem: "text?",
  createdAt: "timestamptz",
} as const satisfies Columns;

/** A booking. It belongs to the holder of its `turn`. */
export type BookingRow = Row<typeof bookingColumns> & {
  environment: Caller["environment"];
  state: BookingState;
  /** Returns true if a call from before this turn may still take effect. */
  inDoubt: boolean;
};

export function callerIn({ accountId, environment }: BookingRow): Caller {
  return { accountId, environment };
}

export function claimIn({ idempotencyKey, token, fingerprint, requestedBy, requestId }: BookingRow): Claim {
  return { idempotencyKey, token, fingerprint, requestedBy, requestId };
}

/** Returns the worker's wait after it could not settle a booking: twice as long with each turn, from two seconds up to a minute. */
export function pauseMs(turn: number): number {
  return Math.min(500 * 2 ** turn, 60_000);
}
