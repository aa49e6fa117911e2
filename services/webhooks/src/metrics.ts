import type { Log } from "@shipping/kit/log";
import { createMetrics, type Metrics } from "@shipping/kit/metrics";
import sql from "sql-template-tag";
import { clock, type WebhooksDeps } from "./deps.js";
import { type Attempted, ERROR_KINDS, type ErrorKind } from "./send.js";

/** What is counted as events and attempts go by. */
export interface WebhooksMetrics extends Metrics {
  countAccepted(events: number): void;
  countDead(): void;
  countAttempt(ended: Pick<Attempted, "outcome" | "errorKind">): void;
}

type AttemptOutcome = "delivered" | "refused" | ErrorKind;

const ATTEMPT_OUTCOMES: readonly AttemptOutcome[] = ["delivered", "refused", ...ERROR_KINDS];
const MAX_COUNTED = 10_000;

/** Makes the counters; `measureBacklog` adds what is read from the database. */
export function createWebhooksMetrics(log: Log): WebhooksMetrics {
  const metrics = createMetrics({ part: "webhooks", log });
  const accepted = metrics.counter(
    "webhooks_events_accepted_total",
    "Events stored from the bus, repetitions included.",
  );
  const dead = metrics.counter("webhooks_events_dead_total", "Messages from the bus that could not be understood.");
  const attempts = metrics.counterOf(
    "webhooks_attempts_total",
    "Attempts that ended: delivered, refused (answered outside 2xx), or why there was no answer.",
    { by: "outcome", values: ATTEMPT_OUTCOMES },
  );
  return {
    ...metrics,
    countAccepted: accepted,
    countDead: () => dead(),
    countAttempt: ({ outcome, errorKind }) => attempts(outcome === "delivered" ? outcome : (errorKind ?? "refused")),
  };
}

/** Measures what is due and not yet claimed. Replicas show the same numbers: they share the database. */
export function measureBacklog(deps: WebhooksDeps): void {
  const help = {
    webhooks_deliveries_due: "Deliveries whose next attempt is due and not claimed yet, counted up to 10,000.",
    webhooks_oldest_due_seconds: "For how long the oldest of them has been due; 0 if there is none.",
  };
  deps.metrics.gauges(help, async () => {
    const { due, oldestSeconds } = await readBacklog(deps);
    return { webhooks_deliveries_due: due, webhooks_oldest_due_seconds: oldestSeconds };
  });
}

/** Reads it from the ready queue and the index of pending deliveries, never from the deliveries at large. */
export async function readBacklog(deps: Pick<WebhooksDeps, "db" | "clockOffsetMs">) {
  const [backlog] = await deps.db.run<{ due: number; oldestSeconds: number }>(sql`
    WITH ${clock(deps)},
    due AS (
      SELECT FROM ready_queue AS q CROSS JOIN LATERAL (
        SELECT FROM deliveries AS d
        WHERE d.subscription_id = q.subscription_id AND d.state = 'pending' AND d.next_at <= (SELECT now FROM clock)
        LIMIT ${MAX_COUNTED}) AS of_subscription
      WHERE q.next_due <= (SELECT now FROM clock)
      LIMIT ${MAX_COUNTED})
    SELECT (SELECT count(*) FROM due)::integer AS due,
      greatest(0, extract(epoch FROM now - (SELECT min(next_due) FROM ready_queue)))::float8 AS "oldestSeconds"
    FROM clock`);
  return backlog!;
}
