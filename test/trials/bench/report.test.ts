import { type Report, ratiosOf, renderReport } from "./report.js";
import type { Cost } from "./round.js";

const cost = (perSecond: number, cpuMs: number): Cost => ({
  perSecond: { median: perSecond, min: perSecond - 1, max: perSecond + 1 },
  cpuMs: { median: cpuMs, min: cpuMs, max: cpuMs },
  cpuMsOf: { "gateway-1": cpuMs / 2, postgres: cpuMs / 2 },
  statementsOf: { gateway: 0.5, records: 0.25 },
  storedBytes: 2048,
});
const comparison = {
  platform: cost(500, 1),
  floor: cost(1000, 0.5),
  ratio: { cpu: { median: 0.5, min: 0.4, max: 0.6 }, throughput: { median: 0.55, min: 0.5, max: 0.6 } },
};
const report: Report = {
  machine: { cores: 2, cpu: "CPU", memoryGb: 8, system: "Linux", node: "v20", commit: "abc", loadBefore: 0.1 },
  startedAt: "2026-01-01T00:00:00.000Z",
  effort: { rounds: 3, seconds: 2, clients: 24, rate: 100, replicas: 1 },
  cases: {
    get: {
      ...comparison,
      latency: { platform: { p50: 1, p99: 2 }, floor: { p50: 0.5, p99: 1 } },
      attempts: 40,
      failures: { "platform: GET: 503": 2 },
    },
    deliveries: comparison,
  },
  events: { perSecond: 200, p50: 1.5, p95: 3, p99: 4 },
  memoryMb: { before: { "gateway-1": 100, postgres: 50 }, after: { "gateway-1": 101, postgres: 51 } },
};
const text = renderReport(report);

test("each case has a line with its ratios, median and range", () => {
  expect(text).toMatch(/^get +500 \(499–501\) +1000 \(999–1001\) .* 0\.50 \(0\.40–0\.60\) +0\.55 \(0\.50–0\.60\)$/m);
});

test("CPU and statements are told by process and by database, with their sum", () => {
  expect(text).toMatch(/^get +500 +500 +1000$/m);
  expect(text).toMatch(/^get +0\.50 +0\.25 +0\.75$/m);
});

test("machine, event latency, storage and failures are told", () => {
  expect(text).toContain("2 × CPU, 8 GB, Linux, Node v20, commit abc, load before 0.1");
  expect(text).toContain("Events at 200 a second, from answer to receipt: p50 1.5 ms, p95 3.0 ms, p99 4.0 ms");
  expect(text).toMatch(/^get +1\.0 +2\.0 +0\.5 +1\.0 +2000 +2000$/m);
  expect(text).toContain("Failed: get, 2 × platform: GET: 503");
});

test("the ratios that a baseline keeps are the medians", () => {
  expect(ratiosOf(report).get).toEqual({ cpu: 0.5, throughput: 0.55 });
});
