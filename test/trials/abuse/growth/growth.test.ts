import { MAX_TIMES, measureGrowth } from "./measure-growth.js";
import { runGrowth } from "./run-growth.js";

// The short form of `npm run trial -- abuse growth`.
const BRIEF = { workMs: 1, rounds: 1 };

test("the cost of input from strangers and customers grows no faster than the input", () => {
  expect(runGrowth(BRIEF, () => {})).toEqual([]);
});

describe("the measured growth", () => {
  const reading = (read: (size: number) => unknown) => ({
    reader: "test",
    shape: "test",
    most: 2_000,
    prepare: (size: number) => () => read(size),
  });

  test("of a quadratic reader is far more than that of a linear one", () => {
    const quadratic = reading((size) => {
      let sum = 0;
      for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) sum += a ^ b;
      return sum;
    });
    // The minimum of several attempts counts, so a single disturbed round may not decide one.
    expect(measureGrowth(quadratic, { workMs: 5, rounds: 5 }).times).toBeGreaterThan(MAX_TIMES);
  });

  test("of a linear reader is about fourfold, and that of a constant one is none", () => {
    const once = (size: number) => Array.from({ length: size * 50 }, (_, n) => n).reduce((sum, n) => sum + n);
    expect(measureGrowth(reading(once), BRIEF).times).toBeLessThan(6);
    expect(
      measureGrowth(
        reading(() => 0),
        BRIEF,
      ).times,
    ).toBe(1);
  });
});
