import type { Caller, Environment } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import type { Shipment } from "@shipping/proto/shipping/records/v1/records_pb";
import type { Rate } from "./rate.js";

/** What a carrier answers to a booking: the number that it will be tracked by, the label to print, and the rate at which it did. */
export interface Booking {
  trackingNumber: string;
  pdf: Uint8Array;
  rate: Rate;
}

/** A carrier, as the operations see it. A real one is one more file that implements this. */
export interface Carrier {
  /** Its name in rates and labels. */
  readonly name: string;
  /** The rates at which it would carry the shipment. */
  rates(shipment: Shipment): Promise<Rate[]>;
  /** Whether it makes rates of this id for this shipment, told from the ids alone. */
  offers(rateId: string, shipmentId: string): boolean;
  /** Books the shipment at one of its rates, as of `at`. */
  book(booking: { shipment: Shipment; rateId: string; at: Date }): Promise<Booking>;
  /** Cancels a booking. */
  void(trackingNumber: string): Promise<void>;
}

/** The carrier of each environment; one that is undefined has not been configured. */
export type Carriers = Record<Environment, Carrier | undefined>;

/** The caller's carrier. The gateway has already refused live callers; this is the check where it matters. */
export function carrierFor(carriers: Carriers, caller: Caller): Carrier {
  const carrier = carriers[caller.environment];
  if (!carrier) throw fail("carrier_not_configured");
  return carrier;
}
