import { stack } from "./bar-chart.js";

test("a bar is as high as its share of the highest, stacked from the bottom", () => {
  expect(stack([30, 10], 40)).toEqual([
    { y: 25, height: 75 },
    { y: 0, height: 25 },
  ]);
  expect(stack([10, 0], 40)).toEqual([
    { y: 75, height: 25 },
    { y: 75, height: 0 },
  ]);
  expect(stack([0, 0], 0)).toEqual([
    { y: 100, height: 0 },
    { y: 100, height: 0 },
  ]);
});

test("one failure among a million is visible, and no bar is higher than the chart", () => {
  const [delivered, failed] = stack([999_999, 1], 1_000_000);
  expect(failed?.height).toBeGreaterThan(1.5);
  expect(failed?.y).toBeGreaterThanOrEqual(0);
  expect((delivered?.height ?? 0) + (failed?.height ?? 0)).toBeLessThanOrEqual(100.01);
});
