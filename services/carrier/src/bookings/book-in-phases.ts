import { setTimeout as sleep } from "node:timers/promises";
import type { Caller, Claim } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import type { Call } from "@shipping/kit/rpc/server";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import {
  CarrierRefusal,
  CarrierUnavailable,
  type RemoteCarrier,
  type StandingBooking,
  type Wanted,
} from "../carriers/carrier.js";
import { askCarrier, callMsWithin, followingCall, inDoubt, refusedByCarrier } from "./ask-carrier.js";
import { type BookingRow, mayBook } from "./booking.js";
import {
  adoptBooking,
  type BookingDeps,
  dropBooking,
  endBooking,
  hasLabel,
  type Intent,
  insertBooking,
  letGo,
  noteCall,
  SEND_WITHIN_MS,
} from "./booking-rows.js";

/** What a request wants of a carrier that is called. */
export interface BookingRequest {
  caller: Caller;
  claim: Claim;
  carrier: RemoteCarrier;
  wanted: Wanted;
}

/** What came of it: a booking to record, the outcome that the key has already, or that the shipment has a label. */
export type Booked =
  | { row: BookingRow; standing: StandingBooking; settles: boolean }
  | { outcome: WriteOutcome }
  | "label exists";

const WAIT_MS = 5_000;
const PAUSE_MS = 100;
/** For how long the worker leaves what is in doubt to a repetition of the request. */
export const GRACE_MS = 1_000;

/**
 * Books at a carrier that is called. First what is to be booked is written down with a key of its own, then the carrier is called. Whoever
 * finds such a row, after a crash or a lost answer, asks the carrier by that key before anything else. The caller records the outcome.
 */
export async function bookInPhases(deps: BookingDeps, request: BookingRequest, call: Call): Promise<Booked> {
  const opened = await open(deps, request, call);
  if (opened === "label exists" || "outcome" in opened) return opened;
  const { row, isFresh } = opened;
  try {
    const standing =
      (isFresh ? undefined : await find(request, row, call)) ?? (await book(deps, request, opened, call));
    // The one call that was ever made is answered. Of a carrier without keys that says nothing: it may have carried it out twice.
    return { row, standing, settles: isFresh && request.carrier.takesKeys };
  } catch (error) {
    throw await followingCall(afterTrouble(deps, opened, error));
  }
}

interface Opened {
  row: BookingRow;
  /** Whether this request has written it: then no call came before. */
  isFresh: boolean;
  /** When that began, by `performance.now()`. */
  begun: number;
}

/** The booking of this request, new or as an equal request has left it. Waits while somebody else works on the shipment. */
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
      throw inDoubt(new Error("Somebody else works on it."));
  }
}

async function find({ carrier }: BookingRequest, row: BookingRow, call: Call): Promise<StandingBooking | undefined> {
  try {
    const [first] = await askCarrier(callMsWithin(call, carrier.callMs), (limits) => carrier.find(row.id, limits));
    return first;
  } catch (cause) {
    // Whatever a search throws says nothing about the booking.
    throw new Error("The carrier cannot be asked what it has booked.", { cause });
  }
}

async function book(deps: BookingDeps, request: BookingRequest, opened: Opened, call: Call): Promise<StandingBooking> {
  const { row, isFresh } = opened;
  const { carrier, wanted } = request;
  if (!mayBook(row, carrier) && !isFresh) throw new Error("The carrier may still carry out an earlier call.");
  const noted = isFresh ? opened.begun : performance.now();
  if (!isFresh && !(await noteCall(deps, row, carrier))) throw new Error("Somebody else has taken the booking.");
  // The note says until when the call may take effect, counted from its sending.
  if (performance.now() - noted > SEND_WITHIN_MS) throw new Error("It is too late to call the carrier.");
  try {
    return await askCarrier(callMsWithin(call, carrier.callMs), (limits) => carrier.book(row.id, wanted, limits));
  } catch (error) {
    if (error instanceof CarrierRefusal || error instanceof CarrierUnavailable) throw error;
    const standing = await find(request, row, call);
    if (!standing) throw error;
    return standing;
  }
}

/** Leaves the booking as it can be left, and says what the request is answered. */
async function afterTrouble(deps: BookingDeps, { row, isFresh }: Opened, error: unknown): Promise<unknown> {
  if (error instanceof CarrierRefusal) {
    await (isFresh ? endBooking(deps, row) : dropBooking(deps, row));
    return refusedByCarrier(error);
  }
  if (error instanceof CarrierUnavailable && isFresh) {
    await endBooking(deps, row);
    return fail("service_unavailable");
  }
  await letGo(deps, row, GRACE_MS);
  return inDoubt(error);
}
