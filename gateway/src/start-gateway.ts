import { fileURLToPath } from "node:url";
import { createMetrics, type Metrics } from "@shipping/kit/process/metrics";
import { logSubscriptionChanges } from "./accounts/log-subscription-changes.js";
import { type BulkheadLimits, createBulkhead, DEFAULT_LIMITS, measureBulkhead } from "./admission/bulkhead.js";
import { createPace, DEFAULT_PACE, measurePace, type PaceLimits } from "./admission/pace.js";
import type { EndpointDeps } from "./api/deps.js";
import { createApp } from "./app.js";
import type { DeveloperDeps } from "./developers/session/settings.js";
import { sweepAccess } from "./developers/session/sweep-access.js";
import { sendAlerts } from "./developers/webhooks/send-alerts.js";
import { createConnections, MAX_CONNECTIONS, measureConnections } from "./http/connections.js";
import { listen } from "./http/listen.js";
import { createWaitingBytes, DEFAULT_WAITING, measureWaiting, type WaitingLimits } from "./http/waiting-bytes.js";
import { startIdempotency } from "./idempotency/execute-once.js";
import { createDeliver } from "./mail/deliver.js";
import { createMailer } from "./mail/mailer.js";
import { startRequestLog } from "./request-log/request-log.js";

/** Where the gateway keeps its schema and migrations. */
export const gatewayMigrations = fileURLToPath(new URL("../prisma", import.meta.url));

const FAST_STOP_MS = 500;

/** A running gateway. */
export interface Gateway {
  port: number;
  /** Its metrics of requests. */
  metrics: Metrics;
  /** Answers the requests under way, then writes the queued done marks and what the request log holds. */
  stop(fast?: boolean): Promise<void>;
}

/** Where a gateway listens, and the limits on its clients. */
export interface Listening {
  port: number;
  host?: string;
  stallMs?: number;
}

/** The dependencies of a gateway. */
export interface GatewayParts extends EndpointDeps, DeveloperDeps {
  /** How many requests may be under way at once; `DEFAULT_LIMITS` unless given. */
  concurrency?: BulkheadLimits | undefined;
  /** The pace of anonymous requests; `DEFAULT_PACE` unless given. */
  paceLimits?: PaceLimits | undefined;
  /** How many bytes may wait for their readers; `DEFAULT_WAITING` unless given. */
  unread?: WaitingLimits | undefined;
}

/** Starts the public side of the platform. */
export async function startGateway(config: Listening, deps: GatewayParts): Promise<Gateway> {
  const idempotency = startIdempotency(deps);
  const recording = logSubscriptionChanges(deps);
  let port = config.port;
  const metrics = createMetrics({ part: "gateway", log: deps.log });
  const limits = deps.concurrency ?? DEFAULT_LIMITS;
  const bulkhead = createBulkhead(limits);
  measureBulkhead(metrics, bulkhead, limits);
  const pace = createPace(deps.paceLimits ?? DEFAULT_PACE);
  measurePace(metrics, pace);
  const connections = createConnections(MAX_CONNECTIONS, pace.holds);
  measureConnections(metrics, connections, MAX_CONNECTIONS);
  const unread = deps.unread ?? DEFAULT_WAITING;
  const waiting = createWaitingBytes(unread);
  measureWaiting(metrics, waiting, unread);
  const requestLog = startRequestLog({ ...deps, metrics });
  const mailer = createMailer({
    deliver: deps.mail && createDeliver(deps.mail),
    log: deps.log,
    metrics,
    random: deps.random,
  });
  const ownOrigin = () => `http://127.0.0.1:${port}`;
  const app = createApp({
    ...deps,
    requestLog,
    mailer,
    idempotency,
    bulkhead,
    pace,
    waiting,
    metrics,
    ownOrigin,
    wakeAudit: recording.wake,
  });
  async function stopWorkers(fast?: boolean): Promise<void> {
    await Promise.all([recording.stop(), requestLog.stop(), mailer.stop(fast ? FAST_STOP_MS : undefined)]);
  }
  const listening = listen({ ...config, ...app, connections, log: deps.log, random: deps.random });
  const server = await listening.catch(async (error) => {
    await stopWorkers(true);
    await idempotency.stop();
    throw error;
  });
  port = server.port;
  const sweeping = sweepAccess(deps);
  const area = mailer.canSend ? deps.developerArea : undefined;
  const alerts = area && sendAlerts({ ...deps, mailer, origin: () => area.publicUrl ?? ownOrigin() });
  return {
    port,
    metrics,
    async stop(fast) {
      await server.stop(fast);
      await Promise.all([sweeping.stop(), stopWorkers(fast)]);
      await alerts?.stop();
      await idempotency.stop();
    },
  };
}
