import { setTimeout as sleep } from "node:timers/promises";
import { failFields } from "@shipping/kit/errors";
import type { Call } from "@shipping/kit/rpc/server";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import { CarrierRefusal } from "../carriers/carrier.js";
import type { BookingRow } from "./booking.js";
import { type BookingDeps, type Intent, isHeld, keepHeld, releaseBooking, takeForVoid } from "./booking-rows.js";
import { callCarrier, callMsWithin, inDoubt, inDoubtOnOutage } from "./call-carrier.js";

const WAIT_MS = 5_000;
const PAUSE_MS = 50;

/**
 * Stores the void, then has the carrier cancel the booking; the worker repeats this call. Returns undefined if no label has the booking.
 */
export async function cancelInPhases(
  deps: BookingDeps,
  intent: Intent,
  call: Call,
): Promise<{ row: BookingRow } | { outcome: WriteOutcome } | undefined> {
  const { caller, claim, shipmentId } = intent;
  const outcome = await deps.ledger.outcomeOfHolder({ caller, claim });
  if (outcome) return { outcome };
  for (const waitUntil = performance.now() + WAIT_MS; ; await sleep(PAUSE_MS)) {
    const row = await takeForVoid(deps, intent);
    if (row) {
      await inDoubtOnOutage(cancelNow(deps, row, intent, call));
      return { row };
    }
    if (!(await isHeld(deps, caller, shipmentId))) return undefined;
    if (performance.now() > waitUntil || callMsWithin(call, PAUSE_MS) < PAUSE_MS)
      throw inDoubt(new Error("Another request or the worker has the booking."));
  }
}

async function cancelNow(
  deps: BookingDeps,
  row: BookingRow,
  { carrier }: Pick<Intent, "carrier">,
  call: Call,
): Promise<void> {
  try {
    await callCarrier(callMsWithin(call, carrier.callMs), (limits) => carrier.cancel(row.reference!, limits));
  } catch (error) {
    if (error instanceof CarrierRefusal) {
      await keepHeld(deps, row);
      throw failFields([{ path: "id", message: `cannot be voided any more: ${error.message}` }]);
    }
    await releaseBooking(deps, row, 0);
    throw inDoubt(error);
  }
}
