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
