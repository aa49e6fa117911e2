import { compareRounds, type Round } from "./round.js";

const round = (perSecond: number, cpuMs: number): Round => ({
  operations: 100,
  perSecond,
  cpuMs,
  cpuMsOf: { node: cpuMs / 2, postgres: cpuMs / 2 },
  statementsOf: { one: cpuMs },
  storedBytes: 10,
});

test("a round is compared with the one that ran beside it", () => {
  const { ratio } = compareRounds(
    [round(100, 2), round(50, 4), round(100, 2)],
    [round(200, 1), round(100, 2), round(400, 1)],
  );
  expect(ratio).toEqual({
    cpu: { median: 0.5, min: 0.5, max: 0.5 },
    throughput: { median: 0.5, min: 0.25, max: 0.5 },
  });
});

test("costs are medians with least and most", () => {
  const { platform } = compareRounds(
    [round(10, 1), round(30, 3), round(20, 2)],
    [round(1, 1), round(1, 1), round(1, 1)],
  );
  expect(platform).toEqual({
    perSecond: { median: 20, min: 10, max: 30 },
    cpuMs: { median: 2, min: 1, max: 3 },
    cpuMsOf: { node: 1, postgres: 1 },
    statementsOf: { one: 2 },
    storedBytes: 10,
  });
});
