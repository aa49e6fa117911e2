import { percentile } from "./open-loop.js";
import { spread } from "./statistics.js";

describe("spread", () => {
  test("is the middle of an odd number of values, whatever their order", () => {
    expect(spread([9, 1, 10])).toEqual({ median: 9, min: 1, max: 10 });
  });

  test("is half way between the two in the middle of an even number", () => {
    expect(spread([4, 1, 3, 100])).toEqual({ median: 3.5, min: 1, max: 100 });
  });

  test("of one value is that value", () => {
    expect(spread([7])).toEqual({ median: 7, min: 7, max: 7 });
  });
});

describe("percentile", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  test("is a value that was measured, the least that the share does not exceed", () => {
    expect([0.5, 0.95, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([50, 95, 99, 100]);
  });

  test("orders by number, not by text, and leaves the values as they were", () => {
    const values = [10, 9, 2];
    expect(percentile(values, 0.01)).toBe(2);
    expect(values).toEqual([10, 9, 2]);
  });

  test("of no values is no number", () => {
    expect(percentile([], 0.5)).toBeNaN();
  });
});
