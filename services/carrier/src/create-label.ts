import { requireCaller, requireClaim } from "@shipping/kit/caller";
import { type Failure, type FieldError, fail, failFields } from "@shipping/kit/errors";
import type { Call } from "@shipping/kit/rpc/server";
import type { CreateLabelRequest } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import { type BookingRequest, bookInPhases, GRACE_MS } from "./bookings/book-in-phases.js";
import { dropBooking, releaseBooking } from "./bookings/booking-rows.js";
import { inDoubt, inDoubtOnOutage, refusedByCarrier } from "./bookings/call-carrier.js";
import { type Booking, CarrierRefusal, carrierFor, type LocalCarrier, type Wanted } from "./carriers/carrier.js";
import type { CarrierDeps } from "./deps.js";
import { labelRefusal } from "./label.js";
import { projectLabelEvent } from "./neighbours/project-label-event.js";
import { readShipment } from "./neighbours/read-shipment.js";
import { type NewLabel, type RemoteBooking, refusalByLabel, type StoredLabel, storeLabel } from "./store-label.js";

type LabelFields = Pick<CreateLabelRequest, "caller" | "shipmentId" | "rateId">;

/** Returns the invalid fields of a new label, whether or not the shipment exists. */
export function checkLabel({ carriers }: CarrierDeps, request: LabelFields): FieldError[] {
  const offered = carrierFor(carriers, requireCaller(request)).offers(request.rateId, request.shipmentId);
  return offered
    ? []
    : [{ path: "rate_id", message: "must be the ID of a rate for this shipment, as POST /rates returns it" }];
}

/** Books a shipment and stores its label; with a local carrier in one statement, because no call is needed. */
export async function createLabel(deps: CarrierDeps, request: CreateLabelRequest, call: Call): Promise<WriteOutcome> {
  const { shipmentId, rateId } = request;
  const caller = requireCaller(request);
  const claim = requireClaim(request);
  const fieldErrors = checkLabel(deps, request);
  if (fieldErrors.length > 0) throw failFields(fieldErrors);
  const shipment = await readShipment(deps, caller, shipmentId, call);
  const refusal = labelRefusal(shipment.status);
  if (refusal) return replayOrRefuse(deps, { caller, claim, shipmentId }, refusal);

  const carrier = carrierFor(deps.carriers, caller);
  const wanted = { shipment, rateId, at: deps.now() };
  const newLabel = { caller, claim, shipmentId, carrier: carrier.name, at: wanted.at };
  const { outcome, event } = carrier.isLocal
    ? await storeLabel(deps, newLabel, await bookLocally(deps, carrier, wanted))
    : await bookAndStore(deps, newLabel, { caller, claim, carrier, wanted }, call);
  if (event) await projectLabelEvent(deps, event, call);
  if (!outcome) throw inDoubt(new Error("The booking is no longer wanted."));
  return outcome;
}

/** Replays the label if this key created it; otherwise refuses by the label's status, because the shipment's copy can lag. */
async function replayOrRefuse(
  deps: CarrierDeps,
  newLabel: Pick<NewLabel, "caller" | "claim" | "shipmentId">,
  refusal: Failure,
) {
  const outcome = await deps.ledger.outcomeOfHolder(newLabel);
  if (outcome) return outcome;
  throw await refusalByLabel(deps, newLabel, refusal);
}

/** Whatever a local carrier throws, the booking was not made: the request has certainly failed, and its key stays free. */
async function bookLocally({ log }: CarrierDeps, carrier: LocalCarrier, wanted: Wanted): Promise<Booking> {
  try {
    return await carrier.book(wanted);
  } catch (err) {
    if (err instanceof CarrierRefusal) throw refusedByCarrier(err);
    log.error({ err, shipment: wanted.shipment.id }, "the carrier cannot make this label");
    throw fail("internal_error");
  }
}

async function bookAndStore(
  deps: CarrierDeps,
  newLabel: NewLabel,
  request: BookingRequest,
  call: Call,
): Promise<StoredLabel> {
  const booked = await bookInPhases(deps, request, call);
  if (booked === "label exists") return { outcome: await replayOrRefuse(deps, newLabel, fail("label_exists")) };
  if ("outcome" in booked) return booked;
  return inDoubtOnOutage(storeOrDrop(deps, newLabel, booked));
}

async function storeOrDrop(deps: CarrierDeps, newLabel: NewLabel, booked: RemoteBooking): Promise<StoredLabel> {
  const stored = await storeLabel(deps, newLabel, booked.active, booked);
  // The gateway replaces a stale claim with a new one, which takes over the booking.
  const isStale = stored.outcome?.outcome.case === "stale";
  if (isStale) await releaseBooking(deps, booked.row, GRACE_MS);
  else if (!stored.event) await dropBooking(deps, booked.row);
  return stored;
}
