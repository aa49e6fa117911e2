import { renderGrowth } from "./render-growth.js";
import type { GrowthReport } from "./run-growth.js";

const size = (rows: number, p99: number) => ({
  rows,
  loadedInSeconds: 1.4,
  latency: { get: { p50: 1, p99 } },
  bytes: 2 ** 21,
  cacheHitRate: 0.995,
});
const report: GrowthReport = {
  machine: { cores: 2, cpu: "CPU", memoryGb: 8, system: "Linux", node: "v20", commit: "abc", loadBefore: 0.1 },
  startedAt: "2026-01-01T00:00:00.000Z",
  sharedBuffersMb: 4096,
  sizes: [size(1000, 2), size(5_000_000, 2.2)],
  claims: { subscriptions: 1000, done: 1_000_000, due: 500_000, p50: 2.4, p99: 5, claimedEach: 64 },
};

test("growth has a column for each size, and how the last differs from the first", () => {
  const text = renderGrowth(report);
  expect(text).toMatch(/^shipments +1000 +5000000 +last\/first$/m);
  expect(text).toMatch(/^get, p99 ms +2\.00 +2\.20 +1\.10$/m);
  expect(text).toMatch(/^cache hits \(4096 MB\) +99\.5 % +99\.5 %$/m);
  expect(text).toMatch(
    /among 1000000 done and 500000 due deliveries of 1000 subscriptions, 64 at once:\np50 2\.4 ms, p99 5\.0 ms/,
  );
});
