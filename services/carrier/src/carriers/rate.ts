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

/** The public rate, as JSON text. */
export function rateJson({ id, shipmentId, carrier, service, currency, amount, test }: Rate): string {
  return JSON.stringify({ id, object: "rate", shipment_id: shipmentId, carrier, service, currency, amount, test });
}
