import { memoryGrowth } from "./memory-growth.js";

test("the last fifth of the samples is compared with the first, process by process", () => {
  const samples = [100, 120, 300, 90, 110, 100, 100, 100, 120, 122].map((gateway) => ({ gateway, nats: 50 }));
  expect(memoryGrowth(samples)).toEqual({
    gateway: { first: 110, last: 121, max: 300, growth: expect.closeTo(0.1) },
    nats: { first: 50, last: 50, max: 50, growth: 0 },
  });
});

test("of few samples the last is compared with the first", () => {
  expect(memoryGrowth([{ records: 80 }, { records: 20 }, { records: 60 }])).toEqual({
    records: { first: 80, last: 60, max: 80, growth: -0.25 },
  });
});
