import type { AddressInput, OrderInput, ParcelInput } from "../../input/schemas.js";

/** The fields that orders and shipments share, as the RPCs name them. */
export function recordFields({ reference, from, to, parcel, metadata }: OrderInput) {
  return {
    reference,
    from: addressFields(from),
    to: addressFields(to),
    parcel: parcelFields(parcel),
    // Sent as text, which preserves members of every name, such as `__proto__`.
    ...(metadata && { metadata: { text: JSON.stringify(metadata) } }),
  };
}

function addressFields({ postal_code: postalCode, ...address }: AddressInput) {
  return { ...address, postalCode };
}

function parcelFields(parcel: ParcelInput) {
  return {
    weightKg: parcel.weight_kg,
    lengthCm: parcel.length_cm,
    widthCm: parcel.width_cm,
    heightCm: parcel.height_cm,
  };
}
