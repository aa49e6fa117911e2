import { fallen } from "./compare-ratios.js";

const baseline = { get: { cpu: 0.4, throughput: 0.8 }, list: { cpu: 0.2, throughput: 0.4 } };

test("a ratio by CPU may fall by a half, and that by throughput as it likes", () => {
  expect(fallen(baseline, { get: { cpu: 0.21, throughput: 0.1 }, list: { cpu: 0.3, throughput: 0.31 } })).toEqual([]);
});

test("one that falls further is named", () => {
  expect(fallen(baseline, { get: { cpu: 0.19, throughput: 0.8 }, list: { cpu: 0.2, throughput: 0.1 } })).toEqual([
    "get: the ratio by CPU fell from 0.40 to 0.19",
  ]);
});

test("a case that was not measured, or is new, is not compared", () => {
  expect(fallen(baseline, { pdf: { cpu: 0.01, throughput: 0.01 } })).toEqual([]);
});
