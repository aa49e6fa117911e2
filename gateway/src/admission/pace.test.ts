import type { ServerResponse } from "node:http";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { silentLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { samplesIn } from "@shipping/kit/testing/samples";
import { createPace, DEFAULT_PACE, measurePace, type Pace } from "./pace.js";

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

  test("of IPv6 shares the pace of two clients with all others in its /48", async () => {
    const pace = createPace({ perSecond: 20, burst: 2 }, () => 0);
    const addresses = Array.from({ length: 16 }, (_, n) => `2001:db8:1:${n}::1`);
    let begun = 0;
    for (const address of addresses) begun += await atOnce(pace, address, 1);
    expect(begun).toBe(4);
    expect(await atOnce(pace, "2001:db8:2::1", 1)).toBe(1);
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

test("all addresses together get 50 documents at once and 400 a second; refusals do not wait for them", async () => {
  let now = 0;
  const pace = createPace(DEFAULT_PACE, () => now);
  const admitted: number[] = [];
  jest.useFakeTimers({ doNotFake: ["setImmediate"] });
  const admit = (n: number) => pace.admit(`192.0.2.${n}`, response()).then(() => void admitted.push(n));
  const turns = Array.from({ length: 51 }, (_, n) => admit(n));
  await turnOfLoop();
  expect(admitted).toHaveLength(50);
  expect((await pace.delay("198.51.100.1", response())).isDue).toBe(true);
  // The 51st waits 2.5 ms. A request of 25 ms later finds tokens for ten, of which one is taken by then.
  now = 25;
  turns.push(...Array.from({ length: 10 }, (_, n) => admit(100 + n)));
  await turnOfLoop();
  expect(admitted).toHaveLength(59);
  await jest.advanceTimersByTimeAsync(3);
  jest.useRealTimers();
  await Promise.all(turns);
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
