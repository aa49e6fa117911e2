import type { Random } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Bulkhead, BulkheadLimits } from "./admission/bulkhead.js";
import type { Pace, PaceLimits } from "./admission/pace.js";
import type { Clients } from "./api/clients.js";
import type { DeveloperDeps } from "./developers/settings.js";
import type { PrismaClient } from "./gen/prisma/client.js";
import type { WaitingBytes, WaitingLimits } from "./http/waiting-bytes.js";
import type { Idempotency } from "./idempotency/start-idempotency.js";

/** What the gateway is given. */
export interface GatewayDeps extends DeveloperDeps {
  db: Database;
  prisma: PrismaClient;
  log: Log;
  clients: Clients;
  now(): Date;
  random: Random;
  /** Moves the clock of leases and rate windows; 0 outside tests. */
  clockOffsetMs: number;
  requestsPerMinute: number;
  /** What may be under way at once; `DEFAULT_LIMITS` unless given. */
  concurrency?: BulkheadLimits | undefined;
  /** How many pages and refusals an address gets; `DEFAULT_PACE` unless given. */
  paceLimits?: PaceLimits | undefined;
  /** What may wait for its readers; `DEFAULT_WAITING` unless given. */
  unread?: WaitingLimits | undefined;
}

/** What requests are answered with: the gateway's deps and the state of its process. */
export interface AppDeps extends GatewayDeps {
  metrics: Metrics;
  idempotency: Idempotency;
  bulkhead: Bulkhead;
  pace: Pace;
  waiting: WaitingBytes;
  /** Scheme and host of this gateway's own listener. */
  ownOrigin(): string;
  /** Has the audit log told soon of what has become of subscriptions. */
  wakeAudit(): void;
}
