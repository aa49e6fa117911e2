import { setImmediate as turnOfLoop } from "node:timers/promises";
import { eventually } from "../testing/eventually.js";
import { silentLog } from "./log.js";
import { type Loop, startLoop } from "./loop.js";

const HOUR_MS = 3_600_000;

let loop: Loop | undefined;
afterEach(() => loop?.stop());

function looping(once: (isStopping: () => boolean) => Promise<unknown>, everyMs = HOUR_MS): Loop {
  loop = startLoop({ name: "t", everyMs, log: silentLog(), once });
  return loop;
}

test("a wake during a run causes exactly one more run", async () => {
  const ends: (() => void)[] = [];
  const { wake, stop } = looping(() => new Promise<void>((resolve) => ends.push(resolve)));
  wake();
  wake();
  wake();
  expect(ends).toHaveLength(1);
  ends[0]!();
  await eventually(() => expect(ends).toHaveLength(2));
  ends[1]!();
  await turnOfLoop();
  await stop();
  expect(ends).toHaveLength(2);
});

test.each<[when: string, once: () => Promise<never>]>([
  ["after an await", () => turnOfLoop().then(() => Promise.reject(new Error("late")))],
  [
    "before its first await",
    () => {
      throw new Error("at once");
    },
  ],
])("a run that fails %s does not end the loop", async (_when, fail) => {
  let runs = 0;
  looping(() => {
    runs++;
    return fail();
  }, 1);
  await eventually(() => expect(runs).toBeGreaterThanOrEqual(3));
});

test("a run with endless work is notified of the stop, which waits for it and starts no other", async () => {
  let runs = 0;
  let finished = 0;
  const { wake, stop } = looping(async (isStopping) => {
    runs++;
    while (!isStopping()) await turnOfLoop();
    await turnOfLoop();
    finished++;
  });
  wake();
  wake();
  await stop();
  wake();
  await turnOfLoop();
  expect([runs, finished]).toEqual([1, 1]);
});
