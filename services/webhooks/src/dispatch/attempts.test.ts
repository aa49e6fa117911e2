import { type Capacity, type ClaimedDelivery, createAttempts } from "./attempts.js";

const delivery = (unhealthy = false) => ({ unhealthy }) as ClaimedDelivery;

/** Creates slots whose attempts end on request. */
function slotsOf(max: number) {
  const running: (() => void)[] = [];
  let freed = 0;
  const attempts = createAttempts({
    max,
    run: () => new Promise((resolve) => running.push(resolve)),
    onFree: () => {
      freed += 1;
    },
  });
  const claim = async (count: number, options: { wanted?: number; unhealthy?: boolean } = {}) => {
    let seen: Capacity | undefined;
    await attempts.claim(options.wanted ?? 10, async (capacity) => {
      seen = capacity;
      return Array.from({ length: Math.min(count, capacity.free) }, () => delivery(options.unhealthy));
    });
    return seen;
  };
  const endOne = async () => {
    running.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { attempts, claim, endOne, freed: () => freed };
}

test("claimed attempts hold slots until they end; unused slots are returned", async () => {
  const { claim, endOne } = slotsOf(10);
  expect(await claim(4)).toMatchObject({ free: 10 });
  expect(await claim(6)).toMatchObject({ free: 6 });
  expect(await claim(1)).toMatchObject({ free: 0 });
  await endOne();
  expect(await claim(0)).toMatchObject({ free: 1 });
});

test("two claims at once do not share slots", async () => {
  const { attempts } = slotsOf(10);
  const seen: number[] = [];
  const claim = (wanted: number) =>
    attempts.claim(wanted, async (capacity) => {
      seen.push(capacity.free);
      await new Promise((resolve) => setImmediate(resolve));
      return [];
    });
  await Promise.all([claim(7), claim(7)]);
  await claim(20);
  expect(seen).toEqual([7, 3, 10]);
});

test("a claim that fails gives its slots back", async () => {
  const { attempts, claim } = slotsOf(10);
  await expect(attempts.claim(10, () => Promise.reject(new Error("no database")))).rejects.toThrow("no database");
  expect(await claim(0)).toMatchObject({ free: 10 });
});

test("unhealthy subscriptions get 30 % of the slots", async () => {
  const { claim, endOne } = slotsOf(10);
  await claim(1);
  await endOne();
  expect(await claim(2, { unhealthy: true })).toEqual({ free: 10, unhealthy: 3 });
  expect(await claim(1, { unhealthy: true })).toEqual({ free: 8, unhealthy: 1 });
  expect(await claim(0)).toEqual({ free: 7, unhealthy: 0 });
  await endOne();
  expect(await claim(0)).toEqual({ free: 8, unhealthy: 1 });
});

test("announces a free slot if one was missed", async () => {
  const { claim, endOne, freed } = slotsOf(2);
  await claim(1);
  await endOne();
  expect(freed()).toBe(0);
  await claim(2);
  await endOne();
  expect(freed()).toBe(1);
});

test("a stop claims no more, waits, and cuts attempts that take too long", async () => {
  const { attempts, claim, endOne } = slotsOf(2);
  await claim(2);
  await endOne();
  const cut = jest.fn(() => void endOne());
  const stopping = attempts.stop(10, cut);
  expect(await claim(1)).toEqual({ free: 0, unhealthy: 0 });
  await stopping;
  expect(cut).toHaveBeenCalledTimes(1);
});

describe("waitForSlots", () => {
  const LONG_MS = 60_000;

  /** Returns true if the slots are free by now. */
  const isThere = async (slots: Promise<void>) => {
    const turn = new Promise((resolve) => setImmediate(resolve, "not yet"));
    return (await Promise.race([slots.then(() => "there"), turn])) === "there";
  };

  test("resolves at once if slots are free, and otherwise as attempts end", async () => {
    const { attempts, claim, endOne } = slotsOf(10);
    expect(await isThere(attempts.waitForSlots(3, LONG_MS))).toBe(true);
    await claim(9);
    const slots = attempts.waitForSlots(3, LONG_MS);
    expect(await isThere(slots)).toBe(false);
    await endOne();
    expect(await isThere(slots)).toBe(false);
    await endOne();
    expect(await isThere(slots)).toBe(true);
  });

  test("half of the slots are enough for any number", async () => {
    const { attempts, claim, endOne } = slotsOf(4);
    await claim(3);
    const slots = attempts.waitForSlots(100, LONG_MS);
    expect(await isThere(slots)).toBe(false);
    await endOne();
    expect(await isThere(slots)).toBe(true);
  });

  test("resolves after the limit, and at once in a process that stops", async () => {
    const { attempts, claim } = slotsOf(1);
    await claim(1);
    await attempts.waitForSlots(1, 1);
    const slots = attempts.waitForSlots(1, LONG_MS);
    void attempts.stop(0, () => {});
    expect(await isThere(slots)).toBe(true);
  });
});
