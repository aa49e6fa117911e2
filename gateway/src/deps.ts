import type { Database } from "@shipping/kit/database";
import type { Random } from "@shipping/kit/ids";
import type { Log } from "@shipping/kit/log";
import type { Metrics } from "@shipping/kit/metrics";
import type { Bulkhead, BulkheadLimits } from "./bulkhead.js";
import type { Clients } from "./clients.js";
import type { DeveloperDeps } from "./developers/settings.js";
import type { PrismaClient } from "./gen/prisma/client.js";
import type { Pace, PaceLimits } from "./pace.js";
import type { Idempotency } from "./start-idempotency.js";
import type { WaitingBytes, WaitingLimits } from "./waiting-bytes.js";

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
