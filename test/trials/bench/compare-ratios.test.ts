import { columnFor, failing, fallen, incomparable } from "./compare-ratios.js";
import { compareRounds, type Round } from "./round.js";

const baseline = { get: 0.4, list: 0.2 };

test("a case whose ratio by CPU falls by more than half is named; one that was not measured is not compared", () => {
  expect(fallen(baseline, { get: 0.21, list: 0.3, pdf: 0.01 })).toEqual([]);
  expect(fallen(baseline, { get: 0.19 })).toEqual(["get: the ratio by CPU fell from 0.40 to 0.19"]);
  // The platform or the floor has completed no operation.
  for (const cpu of [Number.NaN, Number.POSITIVE_INFINITY, 0]) expect(fallen(baseline, { get: cpu })).toHaveLength(1);
});

test("a check needs the ratio of every case for as many processes, from the same version of Node or the newest before it", () => {
  expect(incomparable({ 1: baseline }, 1, ["get", "list"])).toBeUndefined();
  expect(incomparable({ 1: baseline }, 3, ["get"])).toBe("With --replicas 3, the baseline has no ratio of get.");
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

test("a round is compared with the one that ran beside it", () => {
  const round = (perSecond: number, cpuMs: number): Round => {
    const each = { cpuMsOf: { node: cpuMs }, statementsOf: { one: cpuMs }, storedBytes: 10 };
    return { operations: 100, perSecond, cpuMs, ...each };
  };
  const { ratio } = compareRounds(
    [round(100, 2), round(50, 4), round(100, 2)],
    [round(200, 1), round(100, 2), round(400, 1)],
  );
  expect(ratio).toEqual({
    cpu: { median: 0.5, min: 0.5, max: 0.5 },
    throughput: { median: 0.5, min: 0.25, max: 0.5 },
  });
});
