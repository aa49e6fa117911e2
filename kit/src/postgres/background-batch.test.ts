import { setImmediate as turn } from "node:timers/promises";
import { eventually } from "../testing/eventually.js";
import { backgroundBatch } from "./background-batch.js";

test.each([{ max: 16 }, { max: 99, enough: 4 }])(
  "items wait for others, unless enough have arrived: %j",
  async (sizes) => {
    const batches: number[][] = [];
    const keep = backgroundBatch<number, number>({
      lingerMs: 1_000,
      ...sizes,
      run: async (items) => {
        batches.push(items);
        return items;
      },
    });
    const few = keep(1);
    for (let waited = 0; waited < 3; waited++) await turn();
    expect(await Promise.all([few, keep(2)])).toEqual([1, 2]);
    const many = [3, 4, 5, 6].map(keep);
    for (let waited = 0; waited < 3; waited++) await turn();
    expect(batches).toEqual([
      [1, 2],
      [3, 4, 5, 6],
    ]);
    expect(await Promise.all([...many, keep(7)])).toEqual([3, 4, 5, 6, 7]);
    expect(batches.slice(2)).toEqual([[7]]);
  },
);

test.each([1, 2])(
  "at most %i statements run at once, and the next starts when items have waited",
  async (concurrency) => {
    const batches: number[][] = [];
    const ends: (() => void)[] = [];
    const keep = backgroundBatch<number>({
      ...{ concurrency, lingerMs: 5, max: 400 },
      async run(items) {
        batches.push(items);
        await new Promise<void>((resolve) => ends.push(resolve));
      },
    });
    const both = Promise.all([keep(1), keep(2)]);
    await eventually(() => expect(batches).toEqual([[1, 2]]));
    const others = Promise.all([keep(3), keep(4)]);
    if (concurrency === 2) await eventually(() => expect(batches).toHaveLength(2));
    ends[0]?.();
    expect(await both).toEqual([undefined, undefined]);
    await eventually(() =>
      expect(batches).toEqual([
        [1, 2],
        [3, 4],
      ]),
    );
    ends[1]?.();
    await others;
  },
);
