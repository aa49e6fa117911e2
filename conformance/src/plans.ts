export const EVENTS = ["order.created", "shipment.created", "label.created", "label.voided"];

/** The bodies and idempotency keys that things are made with, so that a check can repeat them. */
export function plansOf(run: string) {
  const from = address("Conformance Sender");
  const parcel = { weight_kg: 1.5, length_cm: 30, width_cm: 20, height_cm: 10 };
  const record = { reference: run, from, to: address("Conformance Recipient"), parcel };
  const longest = (start = "") => start.padEnd(200, "x");
  const optional = ["company", "street2", "state", "email", "phone"];
  const full = Object.fromEntries([...Object.keys(from), ...optional].map((field) => [field, longest()]));
  return {
    record,
    keyOf: (what: string) => `${run}-${what}`,
    longestKey: `${run}-`.padEnd(128, "k"),
    longestRecord: {
      reference: longest(run),
      from: { ...full, country: "DE" },
      to: { ...full, country: "GB" },
      parcel: { weight_kg: 1000, length_cm: 1000, width_cm: 1000, height_cm: 1000 },
      // {"note":"…"} is eleven characters longer than its value.
      metadata: { note: "n".repeat(4096 - 11) },
    },
    webhookPath: `/${run}`,
  };
}

function address(name: string) {
  return { name, street1: "1 Test Lane", city: "Hamburg", postal_code: "20457", country: "DE" };
}

export type Plans = ReturnType<typeof plansOf>;
