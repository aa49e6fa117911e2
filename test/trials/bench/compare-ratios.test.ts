import { columnFor, failing, fallen, incomparable } from "./compare-ratios.js";

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

test("a ratio that is no number has fallen: the platform or the floor has completed no operation", () => {
  for (const cpu of [Number.NaN, Number.POSITIVE_INFINITY, 0]) {
    expect(fallen(baseline, { get: { cpu, throughput: 1 } })).toHaveLength(1);
  }
});

test("a check needs a ratio of every case in the baseline for as many processes", () => {
  expect(incomparable({ 1: baseline }, 1, ["get", "list"])).toBeUndefined();
  expect(incomparable({ 1: baseline }, 1, ["get", "pdf", "rates"])).toBe(
    "With --replicas 1, the baseline has no ratio of pdf, rates.",
  );
  expect(incomparable({ 1: baseline }, 3, ["get"])).toBe("With --replicas 3, the baseline has no ratio of get.");
});

test("a run is compared with what the same version of Node did, or else the newest before it", () => {
  const columns = { 20: { 1: baseline }, 24: { 2: baseline } };
  expect([20, 22, 24, 26].map((node) => columnFor(columns, node))).toEqual([
    ...[columns[20], columns[20]],
    ...[columns[24], columns[24]],
  ]);
});

test("a case in which more than one operation in a hundred failed is named", () => {
  const failures = { "platform: GET: 503": 7, "floor: GET: 500": 3 };
  expect(failing({ get: { attempts: 1_000, failures }, deliveries: {} })).toEqual([]);
  expect(failing({ get: { attempts: 999, failures } })).toEqual(["get: 10 of 999 operations failed"]);
});
