import type { AddressInput, OrderInput } from "@shipping/api/input/schemas";

/** The fields of an order or a shipment, as the RPCs name them. Further fields stay as they are. */
export function recordFields<Input extends OrderInput>({ from, to, parcel, metadata, ...others }: Input) {
  return {
    ...others,
    from: addressFields(from),
    to: addressFields(to),
    parcel: {
      weightKg: parcel.weight_kg,
      lengthCm: parcel.length_cm,
      widthCm: parcel.width_cm,
      heightCm: parcel.height_cm,
    },
    // Metadata is sent as text, which preserves members of every name, such as `__proto__`.
    ...(metadata && { metadata: { text: JSON.stringify(metadata) } }),
  };
}

function addressFields({ postal_code: postalCode, ...address }: AddressInput) {
  return { ...address, postalCode };
}
