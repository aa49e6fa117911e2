import type { Connections } from "../egress/connections.js";
import type { EventDeps } from "../events/read-events.js";
import type { HealthKeeper } from "../health/keep-health.js";
import type { SubscriptionDeps } from "../subscriptions/deps.js";
import type { Attempts } from "./attempts.js";
import type { WebhooksMetrics } from "./metrics.js";
import type { Targets } from "./targets.js";

export interface AttemptDeps extends SubscriptionDeps, EventDeps {
  targets: Targets;
  connections: Connections;
  /** Divides the waits between attempts; 1 unless the operator set CLOCK_SPEEDUP. */
  clockSpeedup: number;
  metrics: WebhooksMetrics;
  health: HealthKeeper;
  /** Called when a delivery can be claimed. */
  wakeDispatcher(): void;
}

export interface DispatchDeps extends AttemptDeps {
  attempts: Attempts;
}

/** Returns a random number from 0 to 1. */
export function jitter(deps: Pick<AttemptDeps, "random">): number {
  return deps.random(1)[0]! / 255;
}
