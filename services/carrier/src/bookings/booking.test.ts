import { mayBook, pauseMs, surplus } from "./booking.js";

const active = (...references: string[]) =>
  references.map((reference) => ({
    ...{ reference, trackingNumber: reference, test: true, charge: { currency: "USD", amount: 1 } },
    rate: { id: "", shipmentId: "", carrier: "", service: "", currency: "USD", amount: 1, test: true },
    file: { format: "pdf" as const, bytes: Buffer.alloc(0) },
  }));

test("surplus: a label keeps its own booking and no other; without a label there is none to keep", () => {
  const left = (row: Parameters<typeof surplus>[0]) => surplus(row, active("a", "b")).map(({ reference }) => reference);
  expect(left({ state: "held", reference: "a" })).toEqual(["b"]);
  expect(left({ state: "cancelling", reference: null })).toEqual(["a", "b"]);
  // This is the booking of a voided label, which the carrier has although it was cancelled.
  expect(left({ state: "over", reference: "a" })).toEqual(["a", "b"]);
});

test("mayBook: a carrier that takes no keys is asked again only when no earlier call can take effect", () => {
  const may = [true, false].map((takesKeys) => [true, false].map((inDoubt) => mayBook({ inDoubt }, { takesKeys })));
  expect(may).toEqual([
    [true, true],
    [false, true],
  ]);
});

test("pauseMs: doubles with each turn, up to a minute", () => {
  expect([1, 2, 3, 6, 7, 8, 1_000_000].map(pauseMs)).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000]);
});
