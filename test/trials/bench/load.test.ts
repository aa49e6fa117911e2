import { setTimeout as sleep } from "node:timers/promises";
import { closedLoop } from "./load.js";
import { openLoop } from "./open-loop.js";

describe("closed loop", () => {
  test("each client has one operation under way, never two", async () => {
    let underWay = 0;
    let most = 0;
    const load = await closedLoop(
      async () => {
        most = Math.max(most, ++underWay);
        await sleep(1);
        underWay--;
      },
      { clients: 3, seconds: 0.05 },
    );
    expect(most).toBe(3);
    expect(load.operations).toBe(load.latencies.length);
    expect(load.operations).toBeGreaterThan(3);
  });
});

describe("open loop", () => {
  test("begins as many operations as the rate says, whether or not others have ended", async () => {
    const held: (() => void)[] = [];
    const loading = openLoop(
      () => {
        const ended = new Promise<void>((resolve) => held.push(resolve));
        if (held.length === 10) for (const release of held) release();
        return ended;
      },
      { rate: 1000, seconds: 0.01 },
    );
    const { operations } = await loading;
    expect(operations).toBe(10);
  });

  test("a target that stands still is charged for those who were due meanwhile", async () => {
    let first = true;
    const standStill = () => {
      const until = performance.now() + 30;
      while (first && performance.now() < until);
      first = false;
      return Promise.resolve();
    };
    const { latencies } = await openLoop(standStill, { rate: 1000, seconds: 0.01 });
    // The second operation was due one millisecond after the first, and began when that ended.
    expect(latencies[1]).toBeGreaterThan(20);
  });
});

test("operations that fail count nowhere", async () => {
  let turn = 0;
  const everyOther = async () => {
    if (turn++ % 2 === 0) throw new Error("GET /x: 503 service_unavailable");
  };
  const load = await openLoop(everyOther, { rate: 10_000, seconds: 0.01 });
  expect([load.operations, load.latencies.length]).toEqual([50, 50]);
});
