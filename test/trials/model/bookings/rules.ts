/** The rules of the protocol of bookings. Each can be switched off, which shows its purpose. */
export interface Rules {
  /** A booking is stored before the carrier is called. */
  writesFirst: boolean;
  /** A driver that takes a booking over asks the carrier by the booking's key before it books. */
  asksFirst: boolean;
  /** A repeated call is stored, too, before the carrier is called again. */
  notesCalls: boolean;
  /** A carrier that ignores keys is not called again while an earlier call may take effect. */
  waitsOutDoubt: boolean;
  /** A call without a response is neither a success nor a failure. */
  keepsDoubt: boolean;
  /** A failed search says nothing about the booking. */
  searchSaysNothing: boolean;
  /** A shipment has one booking that may become its label. */
  oneForShipment: boolean;
  /** A label is stored only under an open claim. */
  recordsUnderClaim: boolean;
  /** An abandoned booking is checked again when no more calls can take effect. */
  looksAgain: boolean;
  /** A cancellation is repeated until the carrier confirms it. */
  cancelsUntilConfirmed: boolean;
  /** A void is stored before the carrier is called. */
  writesVoidFirst: boolean;
  /** A void is completed after the carrier has confirmed it. */
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
