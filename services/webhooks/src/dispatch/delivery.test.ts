import { MAX_ATTEMPTS } from "@shipping/proto/event-types";
import fc from "fast-check";
import { nextStep } from "./delivery.js";

const MINUTES = [1, 2, 4, 8, 16, 32, 60];

test("after failure n the next attempt comes 1, 2, 4, 8, 16, 32, 60 minutes later", () => {
  const waits = MINUTES.map((_, at) => nextStep(at + 1, false, () => 0, 1));
  expect(waits).toEqual(MINUTES.map((minutes) => ({ state: "pending", waitMs: minutes * 60_000 })));
});

test("plus at most a tenth", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, jitter) => {
      const step = nextStep(attempt, false, () => jitter, 1);
      const wait = step.state === "pending" ? step.waitMs : 0;
      const planned = MINUTES[attempt - 1]! * 60_000;
      expect(wait).toBeGreaterThanOrEqual(planned);
      expect(wait).toBeLessThanOrEqual(planned * 1.1);
    }),
  );
});

test("the eighth failure is the last", () => {
  expect(nextStep(7, false, () => 0, 1)).toEqual({ state: "pending", waitMs: 3_600_000 });
  expect(nextStep(8, false, () => 0, 1)).toEqual({ state: "exhausted" });
  expect(MAX_ATTEMPTS).toBe(8);
});

test("a success ends it at any attempt", () => {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    expect(nextStep(attempt, true, () => 0, 1)).toEqual({ state: "delivered" });
  }
});

test("CLOCK_SPEEDUP divides the wait", () => {
  expect(nextStep(7, false, () => 1, 60)).toEqual({ state: "pending", waitMs: 66_000 });
});
