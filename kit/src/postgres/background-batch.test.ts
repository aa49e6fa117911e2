import { setImmediate as turn } from "node:timers/promises";
import { eventually } from "../testing/eventually.js";
import { backgroundBatch } from "./micro-batch.js";

test("a background batch runs one statement at a time, for which items wait for others", async () => {
  const batches: number[][] = [];
  let end = () => {};
  const keep = backgroundBatch<number>(async (items) => {
    batches.push(items);
    await new Promise<void>((resolve) => (end = resolve));
  }, 5);
  const both = Promise.all([keep(1), keep(2)]);
  await eventually(() => expect(batches).toEqual([[1, 2]]));
  const third = keep(3);
  await turn();
  end();
  expect(await both).toEqual([undefined, undefined]);
  await eventually(() => expect(batches).toEqual([[1, 2], [3]]));
  end();
  await third;
});
