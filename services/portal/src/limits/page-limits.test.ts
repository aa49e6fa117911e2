import type { ServerResponse } from "node:http";
import { createPageLimits, DEFAULT_PAGE_LIMITS } from "./page-limits.js";

const BURST = 4;
const RATE = { pages: BURST, seconds: 2 };
let limits: ReturnType<typeof createPageLimits>;
beforeEach(() => {
  jest.useFakeTimers();
  limits = createPageLimits({ ...DEFAULT_PAGE_LIMITS, client: RATE, member: RATE });
});
afterEach(() => jest.useRealTimers());

/** How many of this many pages are made, and the `Retry-After` of the last. */
async function open(count: number, page: (res: ServerResponse) => Promise<void>) {
  let made = 0;
  let retryAfter: unknown;
  const setHeader = (_name: string, value: unknown) => {
    retryAfter = value;
  };
  for (let nth = 0; nth < count; nth++) {
    await page({ setHeader } as unknown as ServerResponse).then(
      () => made++,
      (error) =>
        expect(error).toMatchObject({ code: "rate_limited", message: expect.stringMatching(/Too many pages/) }),
    );
  }
  return { made, retryAfter };
}
const from = (address: string) => (res: ServerResponse) => limits.countClient(address, res);

test("a client has its rate, even all at once, and another client is not affected", async () => {
  expect(await open(BURST, from("192.0.2.1"))).toEqual({ made: BURST, retryAfter: undefined });
  expect(await open(1, from("192.0.2.1"))).toEqual({ made: 0, retryAfter: 2 });
  expect(await open(1, from("192.0.2.2"))).toMatchObject({ made: 1 });
  jest.advanceTimersByTime(2_001);
  expect(await open(BURST + 1, from("192.0.2.1"))).toMatchObject({ made: BURST });
});

test("of IPv6, a /64 is a client, and a /48 has twice as much", async () => {
  expect(await open(BURST + 1, from("2001:db8:1:1::1"))).toMatchObject({ made: BURST });
  expect(await open(1, from("2001:db8:1:1::2"))).toMatchObject({ made: 0 });
  // The refused pages of the /64 do not count against the others of its /48.
  let made = 0;
  for (let subnet = 2; subnet < 12; subnet++) made += (await open(1, from(`2001:db8:1:${subnet}::1`))).made;
  expect(made).toBe(BURST);
  expect(await open(1, from("2001:db8:2:1::1"))).toMatchObject({ made: 1 });
});

test("a member has a rate, whatever the addresses are", async () => {
  const member = (id: string) => (res: ServerResponse) => limits.countMember(id, res);
  expect(await open(BURST + 1, member("mem_a"))).toEqual({ made: BURST, retryAfter: 2 });
  expect(await open(1, member("mem_b"))).toMatchObject({ made: 1 });
});

describe("heavy pages", () => {
  const places = (total: number, perAccount: number, waitMs: number) =>
    createPageLimits({ ...DEFAULT_PAGE_LIMITS, heavy: { total, perAccount, waitMs } });
  const { signal: stays } = new AbortController();
  /** A page that is never finished. */
  const endless = () => new Promise<never>(() => {});
  const causeOf = (page: Promise<unknown>) => page.catch(({ code, reason }) => `${code} ${reason}`);

  beforeEach(() => jest.useRealTimers());

  test("a page gives up after the longest wait, or at its own deadline, and the cause says whose limit it was", async () => {
    const { makeHeavy } = places(2, 1, 5);
    void makeHeavy({ accountId: "a", signal: stays }, endless);
    const own = makeHeavy({ accountId: "a", deadline: performance.now() - 1, signal: stays }, endless);
    expect(await causeOf(own)).toBe("service_unavailable account_queue");
    void makeHeavy({ accountId: "b", signal: stays }, endless);
    const other = makeHeavy({ accountId: "c", signal: stays }, endless);
    expect(await causeOf(other)).toBe("service_unavailable portal_queue");
  });

  test("a page whose client goes gives up, and its place in the queue is free", async () => {
    const { makeHeavy } = places(1, 1, 60_000);
    let finish = () => {};
    const first = makeHeavy({ accountId: "a", signal: stays }, () => new Promise<void>((done) => (finish = done)));
    const client = new AbortController();
    const gone = causeOf(makeHeavy({ accountId: "b", signal: client.signal }, endless));
    client.abort();
    expect(await gone).toBe("service_unavailable portal_queue");
    expect(await causeOf(makeHeavy({ accountId: "b", signal: client.signal }, endless))).toMatch(/portal_queue/);
    const next = makeHeavy({ accountId: "c", signal: stays }, async () => "made");
    finish();
    await first;
    expect(await next).toBe("made");
  });
});
