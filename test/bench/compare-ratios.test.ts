import { fallen } from "./compare-ratios.js";

const baseline = { get: { cpu: 0.4, throughput: 0.8 }, list: { cpu: 0.2, throughput: 0.4 } };

test("a ratio may fall by a quarter", () => {
  expect(fallen(baseline, { get: { cpu: 0.31, throughput: 0.61 }, list: { cpu: 0.3, throughput: 0.31 } })).toEqual([]);
});

test("one that falls further is named, by CPU and by throughput alike", () => {
  expect(fallen(baseline, { get: { cpu: 0.29, throughput: 0.8 }, list: { cpu: 0.2, throughput: 0.1 } })).toEqual([
    "get: the ratio by cpu fell from 0.40 to 0.29",
    "list: the ratio by throughput fell from 0.40 to 0.10",
  ]);
});

test("a case that was not measured, or is new, is not compared", () => {
  expect(fallen(baseline, { pdf: { cpu: 0.01, throughput: 0.01 } })).toEqual([]);
});
