import type { Log } from "@shipping/kit/process/log";
import { createMetrics, type Metrics } from "@shipping/kit/process/metrics";
import { ERROR_KINDS, toKind } from "../health/failure-reason.js";
import type { Attempted } from "./send-attempt.js";

export interface WebhooksMetrics extends Metrics {
  countAccepted(events: number): void;
  countDeadLetter(): void;
  countForeign(): void;
  countAttempt(ended: Pick<Attempted, "outcome" | "reason">): void;
}

/** Creates the counters; `measureBacklog` adds the numbers that are read from the database. */
export function createWebhooksMetrics(log: Log): WebhooksMetrics {
  const metrics = createMetrics({ part: "webhooks", log });
  const accepted = metrics.counter(
    "webhooks_events_accepted_total",
    "Events stored from the bus, including repeated ones.",
  );
  const dead = metrics.counter("webhooks_events_dead_total", "Messages from the bus that could not be read.");
  const foreign = metrics.counter(
    "webhooks_events_foreign_total",
    "Messages from the bus that another installation published. They are refused and not stored.",
  );
  const attempts = metrics.counterBy(
    "webhooks_attempts_total",
    "Finished attempts by result: delivered, refused (a status other than 2xx), or the reason why there was no response.",
    { by: "outcome", values: ["delivered", "refused", ...ERROR_KINDS] },
  );
  return {
    ...metrics,
    countAccepted: accepted,
    countDeadLetter: dead,
    countForeign: foreign,
    countAttempt: ({ outcome, reason }) =>
      attempts(outcome === "delivered" ? outcome : reason ? toKind(reason) : "refused"),
  };
}
