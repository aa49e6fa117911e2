import { callOptions } from "./call-owner.js";

const HOUR_MS = 3_600_000;

afterEach(() => jest.restoreAllMocks());

test.each([0, -HOUR_MS, HOUR_MS])(
  "a call gets the time that is left until the answer is due, less half a second for the answer itself, also when the clock is set by %d ms",
  (jumpMs) => {
    const deadline = performance.now() + 10_000;
    const before = Date.now();
    jest.spyOn(Date, "now").mockImplementation(() => before + jumpMs);
    const { timeoutMs } = callOptions({ deadline, requestId: "req_a" });
    expect(timeoutMs).toBeGreaterThan(9_000);
    expect(timeoutMs).toBeLessThanOrEqual(9_500);
    expect(timeoutMs).toBe(Math.floor(timeoutMs ?? 0));
  },
);
