import { setImmediate as turn } from "node:timers/promises";
import { eventually } from "../testing/eventually.js";
import { backgroundBatch } from "./background-batch.js";

const turns = async (count: number) => {
  for (let waited = 0; waited < count; waited++) await turn();
};

test.each([{ max: 16 }, { max: 99, enough: 4 }])(
  "items wait for others, unless enough have arrived: %j",
  async (size) => {
    const batches: number[][] = [];
    const keep = backgroundBatch<number, number>({
      ...{ lingerMs: 1_000, ...size },
      async run(items) {
        batches.push(items);
        await turns(3);
        return items;
      },
    });
    const few = keep(1);
    await turns(3);
    expect(await Promise.all([few, keep(2)])).toEqual([1, 2]);
    const many = [3, 4, 5, 6].map(keep);
    await turns(3);
    const next = keep(7);
    expect(batches.slice(1)).toEqual([[3, 4, 5, 6]]);
    expect(await Promise.all(many)).toEqual([3, 4, 5, 6]);
    await turns(4);
    expect(await Promise.all([next, keep(8)])).toEqual([7, 8]);
    expect(batches).toEqual([
      [1, 2],
      [3, 4, 5, 6],
      [7, 8],
    ]);
  },
);

test("behind a statement that hangs, another one starts when its items have waited, if it may", async () => {
  const batches: number[][] = [];
  const ends: (() => void)[] = [];
  const keep = backgroundBatch<number>({
    ...{ concurrency: 2, lingerMs: 5 },
    async run(items) {
      batches.push(items);
      await new Promise<void>((resolve) => ends.push(resolve));
    },
  });
  const both = Promise.all([keep(1), keep(2)]);
  await eventually(() => expect(batches).toEqual([[1, 2]]));
  const third = keep(3);
  await eventually(() => expect(batches).toEqual([[1, 2], [3]]));
  for (const end of ends) end();
  expect(await both).toEqual([undefined, undefined]);
  await third;
});

test("an item that arrives while a timer runs waits its own time for others", async () => {
  jest.useFakeTimers({ doNotFake: ["setImmediate", "nextTick", "queueMicrotask"] });
  const batches: number[][] = [];
  const keep = backgroundBatch<number, void>({
    ...{ lingerMs: 100, enough: 2 },
    async run(items) {
      batches.push(items);
      return undefined;
    },
  });
  await Promise.all([keep(1), keep(2)]);
  jest.advanceTimersByTime(50);
  const late = keep(3);
  jest.advanceTimersByTime(50);
  await turns(4);
  expect(batches).toEqual([[1, 2]]);
  jest.advanceTimersByTime(100);
  await late;
  expect(batches).toEqual([[1, 2], [3]]);
  jest.useRealTimers();
});
