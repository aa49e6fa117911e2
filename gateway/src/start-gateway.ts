import { createConnections, MAX_CONNECTIONS, measureConnections } from "@shipping/kit/http/connections";
import { listen } from "@shipping/kit/http/listen";
import { createUnreadBytes, DEFAULT_UNREAD, measureUnread, type UnreadLimits } from "@shipping/kit/http/unread-bytes";
import { toOrigin } from "@shipping/kit/process/config";
import { createMetrics, type Metrics } from "@shipping/kit/process/metrics";
import { affordConnections } from "@shipping/kit/process/open-files";
import { inProcess } from "@shipping/kit/rpc/server";
import { accessRoutes } from "./access/routes.js";
import { logSubscriptionChanges } from "./accounts/log-subscription-changes.js";
import { type BulkheadLimits, createBulkhead, DEFAULT_LIMITS, measureBulkhead } from "./admission/bulkhead.js";
import { createPace, DEFAULT_PACE, measurePace, type PaceLimits } from "./admission/pace.js";
import type { EndpointDeps } from "./api/deps.js";
import { createApp } from "./app.js";
import type { DeveloperDeps } from "./developers/session/settings.js";
import { sweepAccess } from "./developers/session/sweep-access.js";
import { sendAlerts } from "./developers/webhooks/send-alerts.js";
import { startIdempotency } from "./idempotency/execute-once.js";
import { createDeliver } from "./mail/deliver.js";
import { createMailer } from "./mail/mailer.js";
import { startRequestLog } from "./request-log/request-log.js";
import { createAccess } from "./service-clients/clients.js";

const FAST_STOP_MS = 500;

export interface Gateway {
  port: number;
  metrics: Metrics;
  /** Answers the requests in progress, then writes the queued done marks and request log. */
  stop(fast?: boolean): Promise<void>;
}

export interface Listening {
  port: number;
  host?: string;
  stallMs?: number;
}

export interface GatewayParts extends EndpointDeps, DeveloperDeps {
  bulkheadLimits?: BulkheadLimits | undefined;
  paceLimits?: PaceLimits | undefined;
  unreadLimits?: UnreadLimits | undefined;
}

/** Starts the gateway: its background work, then its HTTP server. */
export async function startGateway(config: Listening, deps: GatewayParts): Promise<Gateway> {
  const { log, random, bulkheadLimits = DEFAULT_LIMITS, unreadLimits = DEFAULT_UNREAD } = deps;
  const metrics = createMetrics({ part: "gateway", log });
  const bulkhead = createBulkhead(bulkheadLimits);
  measureBulkhead(metrics, bulkhead, bulkheadLimits);
  const pace = createPace(deps.paceLimits ?? DEFAULT_PACE);
  measurePace(metrics, pace);
  const maxConnections = affordConnections(MAX_CONNECTIONS, log);
  const connections = createConnections(maxConnections, pace.isDelaying);
  measureConnections(metrics, connections, maxConnections);
  const unread = createUnreadBytes(unreadLimits);
  measureUnread(metrics, unread, unreadLimits);

  const idempotency = startIdempotency(deps);
  const audit = logSubscriptionChanges(deps);
  const requestLog = startRequestLog({ ...deps, metrics });
  const mailer = createMailer({ deliver: deps.mail && createDeliver(deps.mail), log, metrics, random });
  const stopWorkers = (fast?: boolean) =>
    Promise.all([audit.stop(), requestLog.stop(), mailer.stop(fast ? FAST_STOP_MS : undefined)]);

  let port = config.port;
  const ownOrigin = () => toOrigin(config.host, port);
  const access = createAccess(inProcess(accessRoutes({ ...deps, metrics }), log));
  const state = { access, requestLog, mailer, idempotency, bulkhead, pace, unread, metrics };
  const app = createApp({ ...deps, ...state, ownOrigin, wakeAudit: audit.wake });
  const server = await listen({
    ...config,
    ...app,
    connections,
    log,
    random,
    strictTransport: deps.strictTransport,
  }).catch(async (error) => {
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
