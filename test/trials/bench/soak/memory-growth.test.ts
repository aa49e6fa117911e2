import { memoryGrowth } from "./memory-growth.js";

test("the last fifth of the samples is compared with the first, by what nine tenths of each do not exceed", () => {
  const fifth = (usual: number, once: number) => [...Array(9).fill(usual), once];
  const between = Array(30).fill(300);
  const gateway = [...fifth(100, 250), ...between, ...fifth(121, 20)];
  const samples = gateway.map((mb) => ({ gateway: mb, nats: 50 }));
  expect(memoryGrowth(samples)).toEqual({
    gateway: { first: 100, last: 121, max: 300, growth: expect.closeTo(0.21) },
    nats: { first: 50, last: 50, max: 50, growth: 0 },
  });
});

test("a heap that is collected at the end or at the beginning has not changed", () => {
  const full = Array(12).fill(70);
  const collected = [...full.slice(0, 8), 40, 40, 45, 50];
  const samples = [...collected, ...full, ...full, ...full, ...collected].map((tracking) => ({ tracking }));
  expect(memoryGrowth(samples).tracking?.growth).toBe(0);
});

test("of few samples the last is compared with the first", () => {
  expect(memoryGrowth([{ records: 80 }, { records: 20 }, { records: 60 }])).toEqual({
    records: { first: 80, last: 60, max: 80, growth: -0.25 },
  });
});
