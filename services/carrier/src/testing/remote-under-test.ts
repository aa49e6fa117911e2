import type { Caller } from "@shipping/kit/caller";
import { rowsIn } from "@shipping/kit/testing/rows";
import { newCaller, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import type { BookingRow } from "../bookings/booking.js";
import { settleOnce } from "../bookings/settle-bookings.js";
import { createLabel } from "../create-label.js";
import type { CarrierDeps } from "../deps.js";
import { labelWriter } from "../start-carrier.js";
import { voidLabel } from "../void-label.js";
import { type carrierUnderTest, labelRequest, patient, voidRequest } from "./carrier-under-test.js";
import { scriptedCarrier } from "./scripted-carrier.js";

type StoredBooking = BookingRow & { doubtUntil: Date | null };

/** A customer whose sandbox has its own carrier that is called, and what a test needs of it. */
export function remoteUnderTest(
  { deps: local, newShipment }: Awaited<ReturnType<typeof carrierUnderTest>>,
  options: Parameters<typeof scriptedCarrier>[0] = {},
) {
  const caller: Caller = newCaller();
  const scripted = scriptedCarrier(options);
  const trial = { accountId: caller.accountId, carrier: scripted.carrier };
  const deps: CarrierDeps = { ...local, carriers: { ...local.carriers, trial } };
  const later = (seconds: number): CarrierDeps => ({ ...deps, clockOffsetMs: seconds * 1_000 });

  return {
    ...scripted,
    caller,
    deps,
    newShipment: () => newShipment(caller).id,
    label: (shipmentId: string, claim = newClaim()) =>
      createLabel(deps, labelRequest(caller, shipmentId, claim, `rate_scripted_${shipmentId}`), patient),
    async newLabel(): Promise<{ id: string; tracking_number: string; shipment_id: string }> {
      return toSnapshot(await this.label(this.newShipment())).json;
    },
    void: (id: string, claim = newClaim()) => voidLabel(deps, voidRequest(caller, id, claim), patient),
    /** Runs the worker once, as if `seconds` had passed. */
    settle: (seconds: number) => settleOnce(later(seconds), labelWriter(later(seconds))),
    bookings: () => rowsIn<StoredBooking>(deps.db, "bookings", { ...caller }),
    labels: () => rowsIn<{ status: string; trackingNumber: string }>(deps.db, "labels", { ...caller }),
    events: async () => (await rowsIn<{ type: string }>(deps.db, "outbox", { ...caller })).map(({ type }) => type),
  };
}
