import type { Caller, Environment } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import type { Shipment } from "@shipping/proto/shipping/records/v1/records_pb";

/** A carrier's price for a shipment. */
export interface Rate {
  id: string;
  shipmentId: string;
  carrier: string;
  service: string;
  /** ISO 4217. */
  currency: string;
  /** Major units of the currency. */
  amount: number;
  /** True for a rate that is not a real offer. */
  test: boolean;
}

export function rateJson({ id, shipmentId, carrier, service, currency, amount, test }: Rate): string {
  return JSON.stringify({ id, object: "rate", shipment_id: shipmentId, carrier, service, currency, amount, test });
}

/** A longer file is not stored. Labels of carriers have 10 to 200 KB; every reader of a label holds its file in memory. */
export const MAX_FILE_BYTES = 1024 * 1024;

/** A booking to make: the shipment at one of its rates, as of `at`. */
export interface Wanted {
  shipment: Shipment;
  rateId: string;
  at: Date;
}

/** The carrier's facts about a booking. Neither the platform nor the customer changes them. */
export interface Booking {
  /** The tracking number of the parcel. No other booking of any carrier has it. */
  trackingNumber: string;
  rate: Rate;
  /** The cost of the booking: the currency (ISO 4217) and the amount in its major unit. It may differ from the rate. */
  charge: { currency: string; amount: number };
  /** True if the label is a test and not valid as postage. */
  test: boolean;
  /** The label to print, of at most `MAX_FILE_BYTES`. The API serves only PDF, so an adapter converts other formats. */
  file: { format: "pdf"; bytes: Uint8Array };
}

/** A booking that is not cancelled, with the carrier's own reference, by which it is cancelled. */
export interface ActiveBooking extends Booking {
  reference: string;
}

/** The limits of a call. Once the signal is aborted, the answer is ignored. */
export interface CallLimits {
  signal: AbortSignal;
}

interface Offers {
  /** The carrier's name in rates and labels. It identifies the carrier's bookings, so it never changes. */
  readonly name: string;
  /** Returns true if a rate ID belongs to a shipment, decided from the IDs alone. */
  offers(rateId: string, shipmentId: string): boolean;
}

/** A carrier that is code in this process. Whatever it throws, the booking was not made, and there is nothing to cancel. */
export interface LocalCarrier extends Offers {
  readonly isLocal: true;
  /** Returns the rates at which it would carry the shipment. Throws CarrierRefusal or anything else. */
  rates(shipment: Shipment): Promise<Rate[]>;
  /** Makes the label. Throws CarrierRefusal or anything else. */
  book(wanted: Wanted): Promise<Booking>;
}

/**
 * A carrier that is called. Each method is one attempt and does not retry. It throws CarrierRefusal or CarrierUnavailable only if that is
 * certain. Any other error, such as a time-out or a broken answer, means that the carrier may or may not have carried out the call.
 */
export interface RemoteCarrier extends Offers {
  readonly isLocal: false;
  /** True if booking twice under one key creates one booking. If not, an unanswered call is not repeated while it may take effect. */
  readonly takesKeys: boolean;
  /** The time-out of a call, at most 5,000: a customer is answered within ten seconds. */
  readonly callMs: number;
  /** The time after the end of a call in which the carrier may still carry it out. */
  readonly mayExecuteForMs: number;
  /**
   * Returns the rates at which it would carry the shipment. Throws CarrierRefusal or anything else. It does not book, so it may be
   * repeated.
   */
  rates(shipment: Shipment, limits: CallLimits): Promise<Rate[]>;
  /**
   * Books under `key`, by which `find` finds the booking. Throws CarrierRefusal: not booked, and never will be under this key. Throws
   * CarrierUnavailable: not booked.
   */
  book(key: string, wanted: Wanted, limits: CallLimits): Promise<ActiveBooking>;
  /**
   * Returns the bookings under `key` that are not cancelled, as `book` returned them. Never reads an outdated copy: it finds every booking.
   */
  find(key: string, limits: CallLimits): Promise<ActiveBooking[]>;
  /** Cancels a booking, so that it costs nothing. May be repeated. Throws CarrierRefusal: it stays active and will be charged. */
  cancel(reference: string, limits: CallLimits): Promise<void>;
}

/** A carrier, as the operations see it. docs/contributing/add-a-carrier.md says how to add one. */
export type Carrier = LocalCarrier | RemoteCarrier;

/**
 * The carrier certainly has not carried out the request, and never will. The message is shown to the customer, after the name of the field.
 */
export class CarrierRefusal extends Error {
  override readonly name = "CarrierRefusal";
}

/** The carrier certainly has not carried out the request, but a later call may succeed: it was not reached, or is too busy. */
export class CarrierUnavailable extends Error {
  override readonly name = "CarrierUnavailable";
}

/** The carriers of each environment. An environment without a carrier is not configured. */
export interface Carriers extends Record<Environment, Carrier | undefined> {
  /** A carrier for trials, which replaces the sandbox's for one account. */
  trial?: { accountId: string; carrier: RemoteCarrier } | undefined;
}

/** Returns the caller's carrier. The gateway has already refused live callers; this check is the decisive one. */
export function carrierFor(carriers: Carriers, { accountId, environment }: Caller): Carrier {
  const { trial } = carriers;
  const isTrial = environment === "sandbox" && accountId === trial?.accountId;
  const carrier = isTrial ? trial.carrier : carriers[environment];
  if (!carrier) throw fail("carrier_not_configured");
  return carrier;
}

/** Returns the carrier of an earlier booking, by its name. It may differ from the carrier that the caller has today. */
export function carrierNamed(carriers: Carriers, name: string): Carrier {
  const carrier = [carriers.sandbox, carriers.live, carriers.trial?.carrier].find((one) => one?.name === name);
  if (!carrier) throw fail("service_unavailable", `The carrier ${name} is not configured.`);
  return carrier;
}
