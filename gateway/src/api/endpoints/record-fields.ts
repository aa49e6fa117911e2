import type { AddressInput, OrderInput, ParcelInput } from "../../input/schemas.js";

/** The fields that orders and shipments share, as the RPCs name them. */
export function recordFields({ reference, from, to, parcel, metadata }: OrderInput) {
  return {
    reference,
    from: addressFields(from),
    to: addressFields(to),
    parcel: parcelFields(parcel),
    // The client's JSON travels as text, which keeps members of every name.
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
