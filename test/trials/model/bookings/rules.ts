/** What the protocol of bookings consists of. Each can be taken away, to see what it is for. */
export interface Rules {
  /** What is to be booked is written down before the carrier is called. */
  writesFirst: boolean;
  /** Whoever takes a booking over asks the carrier by its key before it books. */
  asksFirst: boolean;
  /** Before the carrier is called again, that is written down, too. */
  notesCalls: boolean;
  /** A carrier that takes no keys is not called again while an earlier call may take effect. */
  waitsOutDoubt: boolean;
  /** A call without an answer is neither a success nor a failure. */
  keepsDoubt: boolean;
  /** That a search fails says nothing about the booking. */
  searchSaysNothing: boolean;
  /** A shipment has one booking that may become its label. */
  oneForShipment: boolean;
  /** A label is recorded only under a claim that is not over. */
  recordsUnderClaim: boolean;
  /** What nobody wants is looked at again when nothing can come any more. */
  looksAgain: boolean;
  /** What is to be cancelled is cancelled until the carrier says so. */
  cancelsUntilConfirmed: boolean;
  /** A void is written down before the carrier is called. */
  writesVoidFirst: boolean;
  /** A void is recorded after the carrier has said so. */
  voidsAfterCancel: boolean;
}

/** The protocol of services/carrier. */
export const protocol: Rules = {
  writesFirst: true,
  asksFirst: true,
  notesCalls: true,
  waitsOutDoubt: true,
  keepsDoubt: true,
  searchSaysNothing: true,
  oneForShipment: true,
  recordsUnderClaim: true,
  looksAgain: true,
  cancelsUntilConfirmed: true,
  writesVoidFirst: true,
  voidsAfterCancel: true,
};
