import type { Log } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { ERROR_KINDS, toKind } from "../health/failure-reason.js";
import type { Attempted } from "./send-attempt.js";

export type WebhooksMetrics = ReturnType<typeof createWebhooksMetrics>;

/** Creates the counters; `measureBacklog` adds the numbers that are read from the database. */
export function createWebhooksMetrics(log: Log) {
  const metrics = createMetrics({ part: "webhooks", log });
  const attempts = metrics.counterBy(
    "webhooks_attempts_total",
    "Finished attempts by result: delivered, refused (a status other than 2xx), or the reason why there was no response.",
    { by: "outcome", values: ["delivered", "refused", ...ERROR_KINDS] },
  );
  return {
    ...metrics,
    countAccepted: metrics.counter(
      "webhooks_events_accepted_total",
      "Events stored from the bus, including repeated ones.",
    ),
    countDeadLetter: metrics.counter("webhooks_events_dead_total", "Messages from the bus that could not be read."),
    countForeign: metrics.counter(
      "webhooks_events_foreign_total",
      "Messages from the bus that another installation published. They are refused and not stored.",
    ),
    countAttempt: ({ outcome, reason }: Pick<Attempted, "outcome" | "reason">) =>
      attempts(outcome === "delivered" ? outcome : reason ? toKind(reason) : "refused"),
  };
}
