const address = {
  name: "Ada Byron",
  street1: "1 Long Lane",
  city: "London",
  postal_code: "EC1A 9HF",
  country: "GB",
  phone: "+44 20 7946 0000",
};

/** A shipment or order as customers send it. */
export const parcelBody = {
  reference: "Order 1001",
  from: {
    ...address,
    name: "Warehouse",
    street1: "Hafenstr. 12",
    city: "Hamburg",
    postal_code: "20457",
    country: "DE",
  },
  to: address,
  parcel: { weight_kg: 1.2, length_cm: 30, width_cm: 20, height_cm: 10 },
  metadata: { channel: "web", lines: 3 },
};
