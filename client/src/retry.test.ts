import { backoffMs, isRetryable, parseRetryAfter } from "./retry.js";

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);

const settings = (random: number) => ({ random: () => random, maxWaitSeconds: 65 });

describe("Retry-After", () => {
  test.each<[text: string | null, seconds: number | undefined]>([
    [null, undefined],
    ["0", 0],
    ["5", 5],
    ["60", 60],
    ["-5", undefined],
    ["1.5", undefined],
    ["1e3", undefined],
    ["", undefined],
    ["soon", undefined],
    ["2026", 2026],
    ["99999999999999999999", 1e20],
    ["9999999999999999999999999", 1e25],
    ["1, 1", 1],
    ["60, 1", 60],
    ["1, 60", 60],
    ["1, soon", undefined],
    ["Sat, 21 Nov 2026 12:00:07 GMT", 7],
    ["Sat, 21 Nov 2026 11:59:00 GMT", 0],
    ["Sat, 99 Nov 2026 12:00:07 GMT", undefined],
    ["2026-11-21T12:00:07Z", undefined],
    ["Sat, 21 Nov 2026 12:00:07 GMT+1", undefined],
    ["on Sat, 21 Nov 2026 12:00:07 GMT", undefined],
  ])("%j asks for %j seconds", (text, seconds) => {
    expect(parseRetryAfter(text, NOW)).toEqual(seconds);
  });
});

describe("the wait", () => {
  test.each([
    [0, 250, 500],
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [3, 2_000, 4_000],
    [20, 4_000, 8_000],
  ])("before retry %j is %j to %j ms", (retry, least, most) => {
    expect(backoffMs(retry, undefined, settings(1))).toBe(least);
    expect(backoffMs(retry, undefined, settings(0))).toBe(most);
  });

  test("is never shorter than Retry-After, and at most a tenth longer", () => {
    expect(backoffMs(0, 5, settings(0))).toBe(5_000);
    expect(backoffMs(0, 5, settings(1))).toBe(5_500);
  });

  test("has no room for more than maxWaitSeconds", () => {
    expect(backoffMs(0, 65, settings(0))).toBe(65_000);
    expect(backoffMs(0, 66, settings(0))).toBeUndefined();
    expect(backoffMs(0, 1e20, settings(0))).toBeUndefined();
  });

  test("goes by its own rule when Retry-After is 0", () => {
    expect(backoffMs(0, 0, settings(0))).toBe(500);
  });
});

test("only what was not executed, or is made harmless by the key, is sent again", () => {
  const codes = ["internal_error", "service_unavailable", "rate_limited", "idempotency_in_progress"];
  for (const code of codes) expect(isRetryable(0, code)).toBe(true);
  const others = ["carrier_not_configured", "idempotency_conflict", "label_exists", "invalid_request"];
  for (const code of others) expect(isRetryable(503, code)).toBe(false);
  expect([403, 429, 500, 502].map((status) => isRetryable(status, undefined))).toEqual([false, false, true, true]);
});

test("a code that is newer than this client goes by its status", () => {
  for (const status of [429, 500, 503]) expect(isRetryable(status, "of_tomorrow")).toBe(true);
  for (const status of [400, 401, 409, 422, 501]) expect(isRetryable(status, "of_tomorrow")).toBe(false);
});
