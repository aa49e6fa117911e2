import { setTimeout as sleep } from "node:timers/promises";
import type { Caller, Claim } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import type { Call } from "@shipping/kit/rpc/server";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import {
  type ActiveBooking,
  CarrierRefusal,
  CarrierUnavailable,
  type RemoteCarrier,
  type Wanted,
} from "../carriers/carrier.js";
import type { BookingRow } from "./booking.js";
import {
  adoptBooking,
  type BookingDeps,
  dropBooking,
  endBooking,
  hasLabel,
  type Intent,
  insertBooking,
  markCall,
  releaseBooking,
  SEND_WITHIN_MS,
} from "./booking-rows.js";
import { callCarrier, callMsWithin, inDoubt, inDoubtOnOutage, refusedByCarrier } from "./call-carrier.js";

export interface BookingRequest {
  caller: Caller;
  claim: Claim;
  carrier: RemoteCarrier;
  wanted: Wanted;
}

/** The result: a booking to store as a label, the outcome that the key already has, or that the shipment has a label. */
export type Booked =
  | { row: BookingRow; active: ActiveBooking; settles: boolean }
  | { outcome: WriteOutcome }
  | "label exists";

const WAIT_MS = 5_000;
const PAUSE_MS = 100;
/** The time for which the worker leaves a booking in doubt to a repetition of the request. */
export const GRACE_MS = 1_000;

/** Stores a booking under a key of its own, then calls the carrier. After a crash or a lost answer, this key finds the booking there. */
export async function bookInPhases(deps: BookingDeps, request: BookingRequest, call: Call): Promise<Booked> {
  const opened = await open(deps, request, call);
  if (opened === "label exists" || "outcome" in opened) return opened;
  const { row, isFresh } = opened;
  try {
    const active = (isFresh ? undefined : await find(request, row, call)) ?? (await book(deps, request, opened, call));
    // The only call under this key was answered. If the carrier takes no keys, the booking is not settled by the answer: the carrier may
    // have carried out the call twice.
    return { row, active, settles: isFresh && request.carrier.takesKeys };
  } catch (error) {
    throw await inDoubtOnOutage(afterTrouble(deps, opened, error));
  }
}

interface Opened {
  row: BookingRow;
  /** True if this request has inserted the row, so that there was no earlier call. */
  isFresh: boolean;
  /** The time at which this request began to insert or adopt the row, by `performance.now()`. */
  begun: number;
}

/** Returns the booking of this request, new or left by an equal request. Waits while another request or the worker has the shipment's booking. */
async function open(
  deps: BookingDeps,
  request: BookingRequest,
  call: Call,
): Promise<Opened | { outcome: WriteOutcome } | "label exists"> {
  const { caller, claim, carrier, wanted } = request;
  const { id: shipmentId } = wanted.shipment;
  const intent: Intent = { caller, claim, shipmentId, carrier };
  for (const waitUntil = performance.now() + WAIT_MS; ; await sleep(PAUSE_MS)) {
    const begun = performance.now();
    const fresh = await insertBooking(deps, intent);
    if (fresh) return { row: fresh, isFresh: true, begun };
    const left = await adoptBooking(deps, intent);
    if (left) return { row: left, isFresh: false, begun };
    const outcome = await deps.ledger.outcomeOfHolder({ caller, claim });
    if (outcome) return { outcome };
    if (await hasLabel(deps, caller, shipmentId)) return "label exists";
    if (performance.now() > waitUntil || callMsWithin(call, PAUSE_MS) < PAUSE_MS)
      throw inDoubt(new Error("Another request or the worker has the booking."));
  }
}

async function find({ carrier }: BookingRequest, row: BookingRow, call: Call): Promise<ActiveBooking | undefined> {
  try {
    const [first] = await callCarrier(callMsWithin(call, carrier.callMs), (limits) => carrier.find(row.id, limits));
    return first;
  } catch (cause) {
    // An error of the search, even a refusal, leaves it unknown whether the carrier has the booking.
    throw new Error("The carrier could not be asked for its bookings.", { cause });
  }
}

async function book(deps: BookingDeps, request: BookingRequest, opened: Opened, call: Call): Promise<ActiveBooking> {
  const { row, isFresh } = opened;
  const { carrier, wanted } = request;
  // A carrier that takes no keys might book twice.
  if (!isFresh && row.inDoubt && !carrier.takesKeys)
    throw new Error("The carrier may still carry out an earlier call.");
  const noted = isFresh ? opened.begun : performance.now();
  if (!isFresh && !(await markCall(deps, row, carrier)))
    throw new Error("Another request or the worker has taken the booking.");
  // `doubt_until` assumes that the call is sent within this time.
  if (performance.now() - noted > SEND_WITHIN_MS) throw new Error("It is too late to call the carrier.");
  try {
    return await callCarrier(callMsWithin(call, carrier.callMs), (limits) => carrier.book(row.id, wanted, limits));
  } catch (error) {
    if (error instanceof CarrierRefusal || error instanceof CarrierUnavailable) throw error;
    const active = await find(request, row, call);
    if (!active) throw error;
    return active;
  }
}

/** Releases the booking to others, and returns the error for the request. */
async function afterTrouble(deps: BookingDeps, { row, isFresh }: Opened, error: unknown): Promise<unknown> {
  if (error instanceof CarrierRefusal) {
    await (isFresh ? endBooking(deps, row) : dropBooking(deps, row));
    return refusedByCarrier(error);
  }
  if (error instanceof CarrierUnavailable && isFresh) {
    await endBooking(deps, row);
    return fail("service_unavailable");
  }
  await releaseBooking(deps, row, GRACE_MS);
  return inDoubt(error);
}
