import { setImmediate as turnOfLoop } from "node:timers/promises";
import { createBulkhead } from "@shipping/kit/http/bulkhead";
import { type PausingBulkhead, withPauses } from "./pauses.js";

const pausing = () => withPauses(createBulkhead({ total: 100, perAccount: 4 }));

describe("a heavy request", () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ["setImmediate"] }));
  afterEach(() => void jest.useRealTimers());

  const enter = ({ acquire }: PausingBulkhead, accountId: string, weight: number, minPauseMs = 0) =>
    acquire({ accountId, weight, minPauseMs, deadline: performance.now() + 60_000, onDisconnect: () => {} });

  /** How long a request that takes 20 ms keeps its capacity after its end. */
  async function pauseMs(bulkhead: PausingBulkhead, minPauseMs = 0, sentBytes = 0): Promise<number> {
    const end = await enter(bulkhead, "a", 4, minPauseMs);
    jest.advanceTimersByTime(20);
    end(sentBytes);
    const ended = performance.now();
    while (bulkhead.load().inProgress > 0) jest.advanceTimersByTime(1);
    return performance.now() - ended;
  }

  test("is followed by a pause of its duration, of a given minimum, or for its bytes, while other accounts are active", async () => {
    const bulkhead = pausing();
    (await enter(bulkhead, "b", 1))();
    expect(await pauseMs(bulkhead)).toBe(20);
    expect(await pauseMs(bulkhead, 500)).toBe(500);
    const other = enter(bulkhead, "b", 4);
    expect(await Promise.race([other, turnOfLoop("delayed")])).not.toBe("delayed");
    (await other)();
    expect(await pauseMs(bulkhead, 0, 3 * 1024 * 1024)).toBe(187);
  });

  test("is followed by a pause if the other account has come while it was running", async () => {
    const bulkhead = pausing();
    const end = await enter(bulkhead, "a", 4);
    jest.advanceTimersByTime(1_000);
    (await enter(bulkhead, "b", 1))();
    end();
    jest.advanceTimersByTime(999);
    expect(bulkhead.load().inProgress).toBe(4);
    jest.advanceTimersByTime(1);
    expect(bulkhead.load().inProgress).toBe(0);
  });

  test("is followed by no pause if no other account is active, and a light one never", async () => {
    expect(await pauseMs(pausing(), 60_000)).toBe(0);
    const bulkhead = pausing();
    (await enter(bulkhead, "b", 1))();
    const end = await enter(bulkhead, "a", 1, 60_000);
    jest.advanceTimersByTime(20);
    end();
    expect(bulkhead.load().inProgress).toBe(0);
  });
});
