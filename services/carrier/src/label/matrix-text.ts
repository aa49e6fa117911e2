import type { Address } from "@shipping/proto/shipping/records/v1/records_pb";
import { transliterated } from "./letters/standard-font.js";

// The longest postal codes in use have ten characters. Twelve still fit into a symbol of 22 by 22 modules.
const MAX_POSTAL_CODE = 12;

/** The content of the 2D code: tracking number, country and postal code, separated by bars. A text that cannot be a postal code is left empty. */
export function matrixText(trackingNumber: string, to: Address): string {
  const postalCode = transliterated(to.postalCode).toUpperCase();
  const known = postalCode.length <= MAX_POSTAL_CODE && /^[A-Z0-9 -]*$/.test(postalCode);
  return [trackingNumber, to.country, known ? postalCode : ""].join("|");
}
