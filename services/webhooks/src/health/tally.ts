import { type FailureReason, isOurs } from "./failure-reason.js";

/** A finished attempt, as far as it is counted. */
export interface CountedEnd {
  subscriptionId: string;
  at: Date;
  delivered: boolean;
  /** Whether this was the last attempt and failed, which makes the delivery `exhausted`. */
  exhausted: boolean;
  status?: number | undefined;
  reason?: FailureReason | undefined;
}

/** The attempts of one subscription within one hour, and how the last of each kind ended. */
export interface Tally {
  subscriptionId: string;
  delivered: number;
  failed: number;
  exhausted: number;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  /** `status` if the receiver answered. */
  reason: FailureReason | "status" | null;
  status: number | null;
  /** The first failure after the last success. */
  failingSince: Date | null;
}

const HOUR_MS = 3_600_000;

/** The start of the hour that contains a time. */
export function startOfHour(at: Date): number {
  return Math.floor(at.getTime() / HOUR_MS) * HOUR_MS;
}

/** An empty tally. */
export function newTally(subscriptionId: string): Tally {
  const counts = { delivered: 0, failed: 0, exhausted: 0 };
  return {
    subscriptionId,
    ...counts,
    lastSuccessAt: null,
    lastFailureAt: null,
    reason: null,
    status: null,
    failingSince: null,
  };
}

/** Adds a finished attempt to its tally. If our process ended the attempt, it says nothing about the receiver: only `exhausted` counts. */
export function addEnd(tally: Tally, { at, delivered, exhausted, status, reason }: CountedEnd): void {
  if (exhausted) tally.exhausted += 1;
  if (delivered) {
    tally.delivered += 1;
    tally.lastSuccessAt = at;
    tally.failingSince = null;
  } else if (!isOurs(reason)) {
    tally.failed += 1;
    tally.lastFailureAt = at;
    tally.failingSince ??= at;
    tally.reason = reason ?? "status";
    tally.status = reason ? null : (status ?? null);
  }
}
