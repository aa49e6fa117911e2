/** The time from the beginning of an attempt to the end of its response headers. */
export const ATTEMPT_MS = 10_000;

/** The lease of a claimed attempt: 10 s for the attempt, and as much again for everything around it. */
export const LEASE_MS = 20_000;

// The specification defines the schedule, so it is not a setting. The table of deliveries also checks the number of attempts.
const WAIT_MINUTES = [1, 2, 4, 8, 16, 32, 60] as const;

const MAX_JITTER = 0.1;
const MINUTE_MS = 60_000;

/** The next state of a delivery after an attempt; `waitMs` counts from the attempt's end. */
export type NextStep = { state: "delivered" | "exhausted" } | { state: "pending"; waitMs: number };

/**
 * Returns the state after an attempt with this number (1 to 8) and this end. `jitter` returns a number from 0 to 1; `speedup` divides the
 * waits (`CLOCK_SPEEDUP`).
 */
export function nextStep(attempt: number, delivered: boolean, jitter: () => number, speedup: number): NextStep {
  if (delivered) return { state: "delivered" };
  const minutes = WAIT_MINUTES[attempt - 1];
  if (minutes === undefined) return { state: "exhausted" };
  return { state: "pending", waitMs: Math.round((minutes * MINUTE_MS * (1 + jitter() * MAX_JITTER)) / speedup) };
}
