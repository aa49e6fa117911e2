import type { Random } from "@shipping/kit/ids";
import type { Ledger } from "@shipping/kit/ledger/ledger";
import type { Database } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";
import sql, { type Sql } from "sql-template-tag";
import type { Attempts } from "./dispatch/attempts.js";
import type { Targets } from "./dispatch/targets.js";
import type { EgressAgents } from "./egress/egress-agents.js";
import type { EgressRules } from "./egress/egress-guard.js";
import type { WebhooksMetrics } from "./metrics.js";
import type { KeyRing } from "./subscriptions/key-ring.js";

/** What the operations of webhooks work with. */
export interface WebhooksDeps {
  db: Database;
  ledger: Ledger;
  keyRing: KeyRing;
  targets: Targets;
  egressRules: EgressRules;
  agents: EgressAgents;
  attempts: Attempts;
  /** For how long events and their ended deliveries are kept. */
  retentionDays: number;
  /** Divides the waits between attempts; 1 unless the operator set CLOCK_SPEEDUP. */
  clockSpeedup: number;
  /** Added to the database's clock; 0 outside tests. */
  clockOffsetMs: number;
  log: Log;
  metrics: WebhooksMetrics;
  now(): Date;
  random: Random;
  /** Called when there is something to claim. */
  wakeDispatcher(): void;
}

/** The CTE `clock`: the database's time. A subselect of it is a constant to the planner, which the volatile function is not. */
export function clock(deps: Pick<WebhooksDeps, "clockOffsetMs">): Sql {
  return sql`clock AS (SELECT clock_timestamp() + ${deps.clockOffsetMs}::float8 * interval '1 ms' AS now)`;
}

/** A random number from 0 to 1. */
export function jitter(deps: Pick<WebhooksDeps, "random">): number {
  return deps.random(1)[0]! / 255;
}
