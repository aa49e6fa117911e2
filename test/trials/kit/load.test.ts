import { closedLoop, openLoop } from "./load.js";
import { percentile, spread } from "./statistics.js";

test("an open loop charges a target that stands still for those who were due meanwhile, and counts no failure", async () => {
  let turn = 0;
  const standStill = async () => {
    const until = performance.now() + 30;
    while (turn === 0 && performance.now() < until);
    if (turn++ === 9) throw new Error("GET /x: 503 service_unavailable");
  };
  const { operations, latencies } = await openLoop(standStill, { rate: 1000, seconds: 0.01 });
  expect([operations, latencies.length]).toEqual([9, 9]);
  // The second operation was due one millisecond after the first, and began when that ended.
  expect(latencies[1]).toBeGreaterThan(20);
});

test("in a closed loop, each client has one operation under way", async () => {
  let [underWay, most] = [0, 0];
  const operation = async () => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 1));
    underWay--;
  };
  await closedLoop(operation, { clients: 3, seconds: 0.3 });
  expect(most).toBe(3);
});

test("statistics are those of the numbers, whatever their order", () => {
  expect([spread([9, 1, 10]), spread([4, 1, 3, 100])]).toEqual([
    { median: 9, min: 1, max: 10 },
    { median: 3.5, min: 1, max: 100 },
  ]);
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([0.5, 0.95, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([50, 95, 99, 100]);
  expect(percentile([], 0.5)).toBeNaN();
});
