import type { ServerResponse } from "node:http";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { silentLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { samplesIn } from "@shipping/kit/testing/samples";
import { spendCpu } from "../testing/spend-cpu.js";
import { createPace, DEFAULT_PACE, type Meter, measurePace, type Pace } from "./pace.js";

const response = () => ({}) as ServerResponse;

/** Counts the requests, of `turns`, that are not delayed. The fake timers never fire, so a delayed request never gets its turn. */
async function atOnce(pace: Pace, address: string, turns: number): Promise<number> {
  let begun = 0;
  jest.useFakeTimers({ doNotFake: ["setImmediate"] });
  for (let turn = 0; turn < turns; turn++) void pace.delay(address, response()).then(() => begun++);
  await turnOfLoop();
  jest.useRealTimers();
  return begun;
}

/** Charges an address for the CPU time of a page. */
function charge(pace: Pace, address: string, work = () => {}): void {
  const meter = pace.measure(address);
  work();
  meter.end();
}

/** Charges an address for a page of which this many milliseconds were measured. */
function chargeMs(pace: Pace, address: string, ms: number): void {
  const usage = jest.spyOn(process, "cpuUsage").mockReturnValue({ user: 600 * ms, system: 400 * ms });
  charge(pace, address);
  usage.mockRestore();
}

describe("an address", () => {
  test("that has been quiet gets its burst at once, and then the sustained rate", async () => {
    let now = 0;
    const pace = createPace({ perSecond: 10, burst: 5 }, () => now);
    expect(await atOnce(pace, "192.0.2.1", 5)).toBe(5);
    now = 299;
    expect(await atOnce(pace, "192.0.2.1", 2)).toBe(2);
    now = 301;
    expect(await atOnce(pace, "192.0.2.1", 1)).toBe(1);
    now = 3_600_000;
    expect(await atOnce(pace, "192.0.2.1", 5)).toBe(5);
  });

  test("gets 25 responses at once unless the settings say otherwise", async () => {
    const pace = createPace(DEFAULT_PACE, () => 0);
    expect(await atOnce(pace, "192.0.2.1", 30)).toBe(25);
  });

  test("has further requests delayed, one after the other", async () => {
    const pace = createPace({ perSecond: 100, burst: 2 }, () => 0);
    const order: number[] = [];
    const begun = performance.now();
    const turns = Array.from({ length: 6 }, (_, n) => pace.delay("192.0.2.1", response()).then(() => order.push(n)));
    await turnOfLoop();
    expect(pace.waiting()).toBe(4);
    await Promise.all(turns);
    // Timers of Node may fire a millisecond early.
    expect(performance.now() - begun).toBeGreaterThanOrEqual(38);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
    expect(pace.waiting()).toBe(0);
  });

  test("reports whether a response is delayed, and afterwards for how long it was", async () => {
    const pace = createPace({ perSecond: 100, burst: 1 });
    const [first, second] = [response(), response()];
    await pace.delay("192.0.2.1", first);
    const waited = pace.delay("192.0.2.1", second);
    expect([pace.isDelaying(first), pace.isDelaying(second)]).toEqual([false, true]);
    expect((await waited).waitedMs).toBeGreaterThan(8);
    expect(pace.isDelaying(second)).toBe(false);
  });

  test("does not delay another network, and shares its pace with the others of its own", async () => {
    const pace = createPace({ perSecond: 20, burst: 1 }, () => 0);
    expect(await atOnce(pace, "2001:db8:0:1::1", 9)).toBe(1);
    expect(await atOnce(pace, "2001:db8:0:1:ffff:ffff:ffff:ffff", 1)).toBe(0);
    for (const other of ["2001:db8:0:2::1", "192.0.2.1", "192.0.2.2"]) expect(await atOnce(pace, other, 1)).toBe(1);
  });

  test("of IPv6 shares the pace and the CPU of two clients with all others in its /48", async () => {
    let now = 0;
    const pace = createPace({ perSecond: 20, burst: 2 }, () => now);
    const addresses = Array.from({ length: 16 }, (_, n) => `2001:db8:1:${n}::1`);
    let begun = 0;
    for (const address of addresses) begun += await atOnce(pace, address, 1);
    expect(begun).toBe(4);
    expect(await atOnce(pace, "2001:db8:2::1", 1)).toBe(1);
    now = 3_600_000;
    chargeMs(pace, "2001:db8:1:99::1", 25);
    expect(await atOnce(pace, "2001:db8:1:1::1", 1)).toBe(0);
    expect(await atOnce(pace, "2001:db8:2::1", 1)).toBe(1);
  });

  test("pays one and a half times as much again for what cannot be measured of a page, and 4 ms at most", async () => {
    for (const [measuredMs, costMs] of [
      [1, 2.5],
      [10, 14],
    ] as const) {
      let now = 0;
      const pace = createPace({ perSecond: 1_000, burst: 1 }, () => now);
      chargeMs(pace, "192.0.2.1", measuredMs);
      // A turn of one millisecond was already charged on admission.
      now = 10 * costMs - 2;
      expect(await atOnce(pace, "192.0.2.1", 1)).toBe(0);
      now = 10 * costMs + 2;
      expect(await atOnce(pace, "192.0.2.1", 1)).toBe(1);
    }
  });

  test("does not pay again for the turn that it had on admission", async () => {
    const pace = createPace({ perSecond: 10, burst: 5 }, () => 0);
    // Including the estimate for unmeasured work, this page takes the CPU time of six turns.
    chargeMs(pace, "192.0.2.1", 56);
    expect(await atOnce(pace, "192.0.2.1", 1)).toBe(0);
    chargeMs(pace, "192.0.2.2", 46);
    expect(await atOnce(pace, "192.0.2.2", 1)).toBe(1);
  });

  test("pays for a page until it is written, but not while the page waits for others", async () => {
    const pace = createPace({ perSecond: 10, burst: 5 }, () => 0);
    const page = async (address: string, wait: (meter: Meter, others: Promise<void>) => Promise<void>) => {
      const meter = pace.measure(address);
      await wait(
        meter,
        new Promise<void>((resolve) => setImmediate(resolve)).then(() => spendCpu(80)),
      );
      meter.end();
    };
    await page("192.0.2.1", (_meter, own) => own);
    await page("192.0.2.2", (meter, others) => meter.wait(others));
    await page("192.0.2.3", async (meter, others) => {
      await meter.wait(others);
      spendCpu(80);
    });
    await page("192.0.2.4", (meter, others) => meter.wait(Promise.all([meter.wait(others), others]).then(() => {})));
    const turns = await Promise.all([1, 2, 3, 4].map((n) => atOnce(pace, `192.0.2.${n}`, 1)));
    expect(turns).toEqual([0, 1, 0, 1]);
  });

  test("waits for what its earlier requests have taken, even if it had asked before", async () => {
    const pace = createPace({ perSecond: 100, burst: 1 });
    const first = pace.admit("192.0.2.1", response());
    const second = pace.admit("192.0.2.1", response());
    charge(pace, "192.0.2.1", () => spendCpu(20));
    await first;
    expect((await second).waitedMs).toBeGreaterThan(200);
  });

  test("whose turn would come after ten seconds waits that long, takes no turn, and is refused", async () => {
    jest.useFakeTimers({ doNotFake: ["setImmediate"] });
    let now = 0;
    const pace = createPace({ perSecond: 10, burst: 1 }, () => now);
    const turns = Array.from({ length: 150 }, () => pace.admit("192.0.2.1", response()));
    await jest.advanceTimersByTimeAsync(11_000);
    jest.useRealTimers();
    expect((await Promise.all(turns)).filter(({ isDue }) => isDue)).toHaveLength(101);
    now = 10_200;
    expect(await atOnce(pace, "192.0.2.1", 1)).toBe(1);
  });

  test("is forgotten after it has been quiet", async () => {
    let now = 0;
    const pace = createPace({ perSecond: 10, burst: 5 }, () => now++);
    for (let n = 0; n < 5_000; n++) await pace.delay(`192.0.${n % 256}.${n >> 8}`, response());
    expect(pace.tracked()).toBeLessThan(1_200);
  });
});

test("all pages together take no more than their part of a CPU; refusals do not wait for it", async () => {
  const pace = createPace({ perSecond: 1_000, burst: 1_000 }, () => 0);
  for (let n = 0; n < 30; n++) charge(pace, `192.0.2.${n}`, () => spendCpu(10));
  const address = "198.51.100.1";
  const isDue = (turn: Promise<unknown>) =>
    Promise.race([turn.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
  expect(await isDue(pace.admit(address, response()))).toBe(false);
  expect(await isDue(pace.delay(address, response()))).toBe(true);
});

test("all addresses together get 50 pages at once before their cost is measured", async () => {
  jest.useFakeTimers({ doNotFake: ["setImmediate"] });
  const pace = createPace(DEFAULT_PACE, () => 0);
  const turns = Array.from({ length: 51 }, (_, n) => pace.admit(`192.0.2.${n}`, response()));
  await turnOfLoop();
  expect(pace.waiting()).toBe(1);
  await jest.advanceTimersByTimeAsync(3);
  jest.useRealTimers();
  expect(await Promise.all(turns)).toHaveLength(51);
});

test("how many it delays, and how many addresses it knows, are metrics", async () => {
  const pace = createPace({ perSecond: 10, burst: 1 }, () => 0);
  for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]) void pace.delay(address, response());
  await turnOfLoop();
  const metrics = createMetrics({ part: "gateway", log: silentLog() });
  measurePace(metrics, pace);
  expect(samplesIn(await metrics.render())).toEqual({
    'gateway_requests_paced{part="gateway"}': 2,
    'gateway_addresses_tracked{part="gateway"}': 2,
  });
});
