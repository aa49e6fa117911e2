/** The rules of the protocol of services/carrier for bookings. Each can be switched off, which shows its purpose. */
export const protocol = {
  /** A booking is stored before the carrier is called. */
  writesFirst: true,
  /** A driver that takes a booking over asks the carrier by the booking's key before it books. */
  asksFirst: true,
  /** A repeated call is stored, too, before the carrier is called again. */
  notesCalls: true,
  /** A carrier that ignores keys is not called again while an earlier call may take effect. */
  waitsOutDoubt: true,
  /** A call without a response is neither a success nor a failure. */
  keepsDoubt: true,
  /** A failed search says nothing about the booking. */
  searchSaysNothing: true,
  /** A shipment has one booking that may become its label. */
  oneForShipment: true,
  /** A label is stored only under an open claim. */
  recordsUnderClaim: true,
  /** An abandoned booking is checked again when no more calls can take effect. */
  looksAgain: true,
  /** A cancellation is repeated until the carrier confirms it. */
  cancelsUntilConfirmed: true,
  /** A void is stored before the carrier is called. */
  writesVoidFirst: true,
  /** A void is completed after the carrier has confirmed it. */
  voidsAfterCancel: true,
};

export type Rules = Record<keyof typeof protocol, boolean>;
