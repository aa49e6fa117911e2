import type { Caller } from "@shipping/kit/caller";
import { rowsIn } from "@shipping/kit/testing/rows";
import { newCaller, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import type { BookingRow, BookingState } from "../bookings/booking.js";
import { type Intent, insertBooking } from "../bookings/booking-rows.js";
import { settleOnce } from "../bookings/settle-bookings.js";
import type { RemoteCarrier } from "../carriers/carrier.js";
import { createLabel } from "../create-label.js";
import type { CarrierDeps } from "../deps.js";
import { labelWriter } from "../start-carrier.js";
import { voidLabel } from "../void-label.js";
import { type carrierUnderTest, labelRequest, patient, voidRequest } from "./carrier-under-test.js";
import { scriptedCarrier } from "./scripted-carrier.js";

/** The error with which a carrier's answer is lost, and the one that the request then ends with. */
export const lost = new Error("The connection was lost.");
export const unknown = { code: 2, rawMessage: "The outcome of a booking is unknown." };

type StoredBooking = BookingRow & { leasedUntil: Date; doubtUntil: Date | null };

/** A customer whose sandbox has its own carrier that is called, and the functions that a test needs. */
export function remoteUnderTest(
  { deps: local, newShipment }: Awaited<ReturnType<typeof carrierUnderTest>>,
  options: Parameters<typeof scriptedCarrier>[0] = {},
) {
  const caller: Caller = newCaller();
  const scripted = scriptedCarrier(options);
  const trial = { accountId: caller.accountId, carrier: scripted.carrier };
  const deps: CarrierDeps = { ...local, carriers: { ...local.carriers, trial } };
  const later = (seconds: number): CarrierDeps => ({ ...deps, clockOffsetMs: seconds * 1_000 });
  const intent = (): Intent => ({
    caller,
    claim: newClaim(),
    shipmentId: newShipment(caller).id,
    carrier: scripted.carrier,
  });

  return {
    ...scripted,
    caller,
    deps,
    /** Returns the deps of a process whose clock is this far ahead. */
    later,
    intent,
    newShipment: () => newShipment(caller).id,
    label: (shipmentId: string, claim = newClaim()) =>
      createLabel(deps, labelRequest(caller, shipmentId, claim, `rate_scripted_${shipmentId}`), patient),
    async newLabel(): Promise<{ id: string; tracking_number: string; shipment_id: string }> {
      return toSnapshot(await this.label(this.newShipment())).json;
    },
    /** Sends a request for a label whose outcome becomes unknown, as the calls are scripted. */
    async inDoubt(claim = newClaim()) {
      const shipmentId = this.newShipment();
      const end = await this.label(shipmentId, claim).catch((error) => error.rawMessage);
      if (end !== unknown.rawMessage) throw new Error("The outcome of the request is known.");
      return { shipmentId, claim, repeat: () => this.label(shipmentId, claim) };
    },
    /** The methods of the carrier that were called, in order. */
    called: () => scripted.calls.map((call) => call.split(" ")[0]),
    /** Changes methods of the carrier. */
    override(methods: Partial<RemoteCarrier>): void {
      deps.carriers = { ...deps.carriers, trial: { ...trial, carrier: { ...scripted.carrier, ...methods } } };
    },
    void: (id: string, claim = newClaim()) => voidLabel(deps, voidRequest(caller, id, claim), patient),
    /** Runs the worker once, as if `seconds` had passed. */
    settle: (seconds: number) => settleOnce(later(seconds), labelWriter(later(seconds))),
    /** Stores a booking as a request does before it calls the carrier. */
    insert: async (given = intent()): Promise<BookingRow> => (await insertBooking(deps, given))!,
    bookings: () => rowsIn<StoredBooking>(deps.db, "bookings", { ...caller }),
    booking: async ({ id }: BookingRow) => (await rowsIn<StoredBooking>(deps.db, "bookings", { ...caller, id }))[0]!,
    setState: (state: BookingState, { id }: BookingRow) =>
      deps.db.run(sql`UPDATE bookings SET state = ${state}, reference = 'ref' WHERE id = ${id}`),
    labels: () => rowsIn<{ status: string; trackingNumber: string }>(deps.db, "labels", { ...caller }),
    events: async () => (await rowsIn<{ type: string }>(deps.db, "outbox", { ...caller })).map(({ type }) => type),
  };
}

/** A booking that does not exist: of another account, and under another ID. */
export const unknownBookings = (row: BookingRow): BookingRow[] => [
  { ...row, accountId: newCaller().accountId },
  { ...row, id: "bkg_unknown" },
];
