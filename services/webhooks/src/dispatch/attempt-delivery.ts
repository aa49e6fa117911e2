import { setTimeout as pause } from "node:timers/promises";
import { traced } from "@shipping/kit/process/tracing";
import { toKind } from "../health/failure-reason.js";
import type { ClaimedDelivery } from "./attempts.js";
import { type CompleteDelivery, type Completion, countEnd, type Ended } from "./complete-delivery.js";
import { ATTEMPT_MS, LEASE_MS, nextStep } from "./delivery.js";
import { type AttemptDeps, jitter } from "./deps.js";
import { type Attempted, sendAttempt } from "./send-attempt.js";
import type { Target } from "./targets.js";

const COMPLETE_AGAIN_MS = 500;

/** Makes a claimed attempt, stores and logs its result. Resolves when its slot is free. */
export function attemptDelivery(
  deps: AttemptDeps,
  complete: CompleteDelivery,
  claimed: ClaimedDelivery,
  claimedAt: number,
): Promise<void> {
  const { eventId, attempt, traceparent: parent } = claimed;
  const attributes = { event: eventId, attempt };
  return traced("attempt", { kind: "client", parent, attributes }, () =>
    makeAttempt(deps, complete, claimed, claimedAt),
  );
}

async function makeAttempt(
  deps: AttemptDeps,
  complete: CompleteDelivery,
  claimed: ClaimedDelivery,
  claimedAt: number,
): Promise<void> {
  let target: Target | undefined;
  let attempted: Attempted | undefined;
  try {
    // A process that was paused must not send a request for a delivery that another may claim before the answer arrives.
    if (performance.now() - claimedAt > LEASE_MS - ATTEMPT_MS) return;
    target = deps.targets.of(claimed);
    const { eventId, body } = claimed;
    const { url, secret } = target;
    attempted = await sendAttempt(deps.connections, { url, secret, eventId, body, at: deps.now() });
    const ended = toEnded(deps, claimed, attempted);
    const completion = await completeInLease(complete, ended, claimedAt);
    if (completion) countEnd(deps, ended, completion);
    deps.log.info(
      { ...toLogFields(claimed, target, attempted, completion?.nextAt), fenced: completion === undefined || undefined },
      "attempt",
    );
    await attempted.discarded;
  } catch (err) {
    deps.log.error(
      { ...toLogFields(claimed, target, attempted), err },
      "attempt result not recorded; the delivery is retried when its lease expires",
    );
  }
}

function toEnded(deps: AttemptDeps, claimed: ClaimedDelivery, attempted: Attempted): Ended {
  const { accountId, subscriptionId, eventId, claimId, attempt } = claimed;
  const { outcome, status, reason, ms } = attempted;
  const step = nextStep(attempt, outcome === "delivered", () => jitter(deps), deps.clockSpeedup);
  return { accountId, subscriptionId, eventId, claimId, step, status, reason, ms };
}

// A short outage of the database must not cause a second request for a delivered event.
async function completeInLease(
  complete: CompleteDelivery,
  ended: Ended,
  claimedAt: number,
): Promise<Completion | undefined> {
  for (;;) {
    try {
      return await complete(ended);
    } catch (error) {
      if (performance.now() - claimedAt > LEASE_MS - 2 * COMPLETE_AGAIN_MS) throw error;
      await pause(COMPLETE_AGAIN_MS);
    }
  }
}

/** Returns the log fields of an attempt. The URL is reduced to its host, because a path or query may contain the receiver's own secret. */
function toLogFields(
  { eventId, subscriptionId, attempt, url }: ClaimedDelivery,
  target: Target | undefined,
  attempted: Attempted | undefined,
  nextAt?: Date | null,
) {
  return {
    event: eventId,
    subscription: subscriptionId,
    attempt,
    host: (target?.url ?? new URL(url)).host,
    outcome: attempted?.outcome,
    status: attempted?.status,
    error: attempted?.reason && toKind(attempted.reason),
    reason: attempted?.reason,
    ms: attempted?.ms,
    next_at: nextAt?.toISOString() ?? null,
  };
}
