import { silentLog } from "./log.js";
import { startLoop } from "./loop.js";

const hour = 3_600_000;

function signal(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

describe("startLoop", () => {
  test("a wake during a run causes exactly one more run", async () => {
    let runs = 0;
    let release = () => {};
    const entered = signal();
    const again = signal();
    const loop = startLoop({
      name: "t",
      everyMs: hour,
      log: silentLog(),
      once: async () => {
        runs++;
        if (runs === 2) return again.resolve();
        entered.resolve();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      },
    });
    loop.wake();
    await entered.promise;
    loop.wake();
    loop.wake();
    release();
    await again.promise;
    await loop.stop();
    expect(runs).toBe(2);
  });

  test("a run that fails does not end the loop", async () => {
    let runs = 0;
    const done = signal();
    const loop = startLoop({
      name: "t",
      everyMs: 1,
      log: silentLog(),
      once: async () => {
        if (++runs === 1) throw new Error("once");
        done.resolve();
      },
    });
    await done.promise;
    await loop.stop();
    expect(runs).toBeGreaterThanOrEqual(2);
  });

  test("a run that throws before its first await does not end the loop either", async () => {
    let runs = 0;
    const done = signal();
    const loop = startLoop({
      name: "t",
      everyMs: 1,
      log: silentLog(),
      once: () => {
        if (++runs === 3) done.resolve();
        throw new Error("at once");
      },
    });
    await done.promise;
    await loop.stop();
    expect(runs).toBeGreaterThanOrEqual(3);
  });

  test("a run with endless work is notified of the stop", async () => {
    const entered = signal();
    let turns = 0;
    const loop = startLoop({
      name: "t",
      everyMs: hour,
      log: silentLog(),
      once: async (isStopping) => {
        for (; !isStopping(); turns++) await new Promise((resolve) => setImmediate(resolve)).then(entered.resolve);
      },
    });
    loop.wake();
    await entered.promise;
    await loop.stop();
    expect(turns).toBeGreaterThan(0);
  });

  test("stop waits for the run under way and starts no other", async () => {
    let finished = false;
    const entered = signal();
    const loop = startLoop({
      name: "t",
      everyMs: hour,
      log: silentLog(),
      once: async () => {
        entered.resolve();
        await new Promise((resolve) => setImmediate(resolve));
        finished = true;
      },
    });
    loop.wake();
    await entered.promise;
    await loop.stop();
    expect(finished).toBe(true);
    loop.wake();
    expect(finished).toBe(true);
  });
});
