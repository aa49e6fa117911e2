import type { Caller, Environment } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import type { Shipment } from "@shipping/proto/shipping/records/v1/records_pb";
import type { Rate } from "./rate.js";

/** What is to be booked: the shipment at one of its rates, as of `at`. */
export interface Wanted {
  shipment: Shipment;
  rateId: string;
  at: Date;
}

/** What a carrier says about a booking. Nobody else knows any of it: neither the platform nor the customer adds or corrects it. */
export interface Booking {
  /** What the parcel is tracked by. No other booking of any carrier has it. */
  trackingNumber: string;
  /** The rate at which it was booked. */
  rate: Rate;
  /** What the booking costs: the currency (ISO 4217) and the amount in its major unit. It may differ from the rate. */
  charge: { currency: string; amount: number };
  /** Whether the label is no postage. */
  test: boolean;
  /** The label to print. The API serves PDF and nothing else, so an adapter converts what its carrier sends. */
  file: { format: "pdf"; bytes: Uint8Array };
}

/** A booking that stands at a carrier, and the carrier's own reference, by which it is cancelled. */
export interface StandingBooking extends Booking {
  reference: string;
}

/** What happened to a parcel, as its carrier reports it. */
export interface Scan {
  /** The carrier's own ID of it: the same scan, reported twice, has the same. */
  id: string;
  status: "in_transit" | "out_for_delivery" | "delivered" | "returned" | "exception";
  /** When it happened. */
  at: Date;
  /** What the carrier calls it, for people. */
  message: string;
}

/** What a call may take. It is over when the signal is aborted: from then on nobody waits for its answer. */
export interface CallLimits {
  signal: AbortSignal;
}

/** What every carrier has. */
interface Offers {
  /** Its name in rates and labels, by which its bookings are found again: it never changes. */
  readonly name: string;
  /** Whether it makes rates of this ID for this shipment, told from the IDs alone. */
  offers(rateId: string, shipmentId: string): boolean;
}

/** A carrier that is code in this process: whatever it throws, nothing was booked, and there is nothing to cancel. */
export interface LocalCarrier extends Offers {
  readonly isLocal: true;
  /** The rates at which it would carry the shipment. Throws CarrierRefusal or anything else. */
  rates(shipment: Shipment): Promise<Rate[]>;
  /** Makes the label. Throws CarrierRefusal or anything else. */
  book(wanted: Wanted): Promise<Booking>;
}

/**
 * A carrier that is called. Each method is one attempt and repeats nothing by itself. It throws CarrierRefusal or CarrierUnavailable if that is
 * certain; any other error, a time-out and a broken answer above all, means that the carrier may or may not have done it.
 */
export interface RemoteCarrier extends Offers {
  readonly isLocal: false;
  /** Whether booking twice under one key is one booking. Where not, an unanswered call is not repeated until it can no longer take effect. */
  readonly takesKeys: boolean;
  /** How long a call may take. At most 5,000: a customer is answered within ten seconds. */
  readonly callMs: number;
  /** After a call has timed out, how much later the carrier may still carry it out. */
  readonly mayExecuteForMs: number;
  /** The rates at which it would carry the shipment. Throws CarrierRefusal or anything else. Books nothing, so it may be repeated. */
  rates(shipment: Shipment, limits: CallLimits): Promise<Rate[]>;
  /** Books under `key`, with which `find` finds it. Throws CarrierRefusal: not booked, never under this key. CarrierUnavailable: not booked. */
  book(key: string, wanted: Wanted, limits: CallLimits): Promise<StandingBooking>;
  /** All bookings under `key` that are not cancelled, with everything that `book` said; usually none or one. Never an old copy: what `book` has answered, it finds. */
  find(key: string, limits: CallLimits): Promise<StandingBooking[]>;
  /** Cancels a booking, so that it costs nothing. One that is cancelled already is cancelled. Throws CarrierRefusal: it stands, and will be charged. */
  cancel(reference: string, limits: CallLimits): Promise<void>;
  /** All scans so far, in any order. */
  track(trackingNumber: string, limits: CallLimits): Promise<Scan[]>;
}

/** A carrier, as the operations see it. docs/carriers.md says how to add one. */
export type Carrier = LocalCarrier | RemoteCarrier;

/** The carrier will not do what was asked, for certain and for good. The message is shown to the customer, behind the name of the field. */
export class CarrierRefusal extends Error {
  override readonly name = "CarrierRefusal";
}

/** The carrier has not done what was asked, for certain, and may do it later: never reached, or too busy. */
export class CarrierUnavailable extends Error {
  override readonly name = "CarrierUnavailable";
}

/** The carriers of each environment; one without any has not been configured. */
export interface Carriers extends Record<Environment, Carrier | undefined> {
  /** A carrier for trials in place of the sandbox's, for one account. */
  trial?: { accountId: string; carrier: RemoteCarrier } | undefined;
}

/** The caller's carrier. The gateway has already refused live callers; this is the check where it matters. */
export function carrierFor(carriers: Carriers, { accountId, environment }: Caller): Carrier {
  const { trial } = carriers;
  const isTrial = environment === "sandbox" && accountId === trial?.accountId;
  const carrier = isTrial ? trial.carrier : carriers[environment];
  if (!carrier) throw fail("carrier_not_configured");
  return carrier;
}

/** The carrier of that name, which made a booking earlier, whichever the caller has today. */
export function carrierNamed(carriers: Carriers, name: string): Carrier {
  const known = [carriers.sandbox, carriers.live, carriers.trial?.carrier];
  const carrier = known.find((one) => one?.name === name);
  if (!carrier) throw fail("service_unavailable", `The carrier ${name} is not configured.`);
  return carrier;
}
