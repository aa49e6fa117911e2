/** What a carrier asks for a shipment. */
export interface Rate {
  id: string;
  shipmentId: string;
  carrier: string;
  service: string;
  /** ISO 4217. */
  currency: string;
  /** Major units of the currency. */
  amount: number;
  /** True for rates that are no offer. */
  test: boolean;
}

/** The public rate, as JSON text. */
export function rateJson({ id, shipmentId, carrier, service, currency, amount, test }: Rate): string {
  return JSON.stringify({ id, object: "rate", shipment_id: shipmentId, carrier, service, currency, amount, test });
}
