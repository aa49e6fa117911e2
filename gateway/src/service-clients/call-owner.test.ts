import { failureIn } from "@shipping/kit/errors";
import { callOptions } from "./call-owner.js";

const HOUR_MS = 3_600_000;

afterEach(() => jest.restoreAllMocks());

test("a call gets the time that is left until the answer is due, less half a second for the answer itself", () => {
  const { timeoutMs } = callOptions({ deadline: performance.now() + 10_000, requestId: "req_a" });
  expect(timeoutMs).toBeGreaterThan(9_000);
  expect(timeoutMs).toBeLessThanOrEqual(9_500);
  expect(timeoutMs).toBe(Math.floor(timeoutMs ?? 0));
});

test("with less than a second left, the call is not sent: 503 service_unavailable", () => {
  expect.assertions(1);
  try {
    callOptions({ deadline: performance.now() + 900, requestId: "req_a" });
  } catch (error) {
    expect(failureIn(error)?.code).toBe("service_unavailable");
  }
});

test.each([-HOUR_MS, HOUR_MS])("a clock that is set by %d ms while a request waits has no effect", (jumpMs) => {
  const deadline = performance.now() + 10_000;
  const before = Date.now();
  jest.spyOn(Date, "now").mockImplementation(() => before + jumpMs);
  const { timeoutMs } = callOptions({ deadline, requestId: "req_a" });
  expect(timeoutMs).toBeGreaterThan(9_000);
  expect(timeoutMs).toBeLessThanOrEqual(9_500);
});
