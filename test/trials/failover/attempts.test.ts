import type { Attempt } from "../chaos/retrying-client.js";
import { recordAttempts } from "./attempts.js";

const attempt = (atMs: number, tookMs: number, status: number, retryAfter?: string): Attempt => ({
  path: "/orders",
  atMs,
  tookMs,
  status,
  retryAfter,
});

test("counts what failed, what failed without a clear answer, and the longest outage", () => {
  const attempts = recordAttempts();
  attempts.add(attempt(0, 10, 201));
  attempts.add(attempt(20, 5, 503, "1"));
  attempts.add(attempt(30, 5, 503));
  attempts.add(attempt(40, 2_000, 0));
  attempts.add(attempt(50, 5, 500, "1"));
  attempts.add(attempt(3_000, 10, 409, "1"));
  attempts.add(attempt(3_005, 10, 201));
  expect(attempts.seen()).toEqual({
    requests: 7,
    failed: { "503": 2, "500": 1, none: 1 },
    unclear: 3,
    milliseconds: { p50: 10, p95: 2_000, p99: 2_000, max: 2_000 },
    longestOutage: 3_000,
  });
});

test("says how long after a moment a request that was sent after it succeeded, and failed for the last time", () => {
  const attempts = recordAttempts();
  attempts.add(attempt(900, 400, 201));
  attempts.add(attempt(1_050, 20, 503, "1"));
  expect(attempts.firstSuccessAfter(1_000)).toBeUndefined();
  attempts.add(attempt(1_200, 100, 201));
  expect(attempts.firstSuccessAfter(1_000)).toBe(300);
  expect(attempts.lastFailureAfter(1_000)).toBe(70);
  expect(attempts.lastFailureAfter(1_100)).toBe(0);
  expect([0, 1_000, 1_100, 2_000].map(attempts.longestSince)).toEqual([400, 100, 100, 0]);
});
