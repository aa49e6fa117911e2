import { measureRequests } from "@shipping/kit/http/observe-request";
import type { PublicPart } from "@shipping/kit/http/public-paths";
import type { Application } from "@shipping/kit/http/server/public-listener";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Running } from "@shipping/kit/process/run-process";
import { inProcess } from "@shipping/kit/rpc/server";
import { accessRoutes } from "./access/routes.js";
import { keepChanges } from "./accounts/keep-changes.js";
import { logSubscriptionChanges } from "./accounts/log-subscription-changes.js";
import { type BulkheadLimits, createBulkhead, DEFAULT_LIMITS, measureBulkhead } from "./admission/bulkhead.js";
import { createPace, DEFAULT_PACE, measurePace, type PaceLimits } from "./admission/pace.js";
import { withPauses } from "./admission/pauses.js";
import type { EndpointDeps } from "./api/deps.js";
import { createApiApp } from "./app.js";
import type { DeveloperDeps } from "./developers/session/settings.js";
import { sweepAccess } from "./developers/session/sweep-access.js";
import { sendAlerts } from "./developers/webhooks/send-alerts.js";
import { startIdempotency } from "./idempotency/execute-once.js";
import { createDeliver } from "./mail/deliver.js";
import { createMailer } from "./mail/mailer.js";
import { createPagesApp } from "./pages-app.js";
import { startRequestLog } from "./request-log/request-log.js";
import { createAccess } from "./service-clients/clients.js";

const FAST_STOP_MS = 500;

export interface Gateway extends Running {
  /** The public listener serves these. It stops before the gateway, whose `stop` writes the queued done marks and request log. */
  applications: Record<PublicPart, Application>;
}

export interface GatewayParts extends EndpointDeps, DeveloperDeps {
  metrics: Metrics;
  bulkheadLimits?: BulkheadLimits | undefined;
  paceLimits?: PaceLimits | undefined;
}

/** Starts the gateway's background work and makes its applications. A public listener serves them. */
export function startGateway(deps: GatewayParts): Gateway {
  const { log, metrics, random, ownOrigin, bulkheadLimits = DEFAULT_LIMITS } = deps;
  const bulkhead = withPauses(createBulkhead(bulkheadLimits));
  measureBulkhead(metrics, bulkhead, bulkheadLimits);
  const pace = createPace(deps.paceLimits ?? DEFAULT_PACE);
  measurePace(metrics, pace);

  const idempotency = startIdempotency(deps);
  const audit = logSubscriptionChanges(deps);
  const changes = keepChanges(deps);
  const requestLog = startRequestLog(deps);
  const mailer = createMailer({ deliver: deps.mail && createDeliver(deps.mail), log, metrics, random });
  const sweeping = sweepAccess(deps);
  const area = mailer.canSend ? deps.developerArea : undefined;
  const alerts = area && sendAlerts({ ...deps, mailer, origin: () => area.publicUrl ?? ownOrigin() });

  const countRequest = measureRequests(metrics);
  const state = { requestLog, mailer, idempotency, bulkhead, pace, countRequest, wakeAudit: audit.wake };
  const api = { ...deps, ...state };
  const access = createAccess(inProcess(accessRoutes(deps, api), log));
  return {
    applications: { gateway: createApiApp(api), portal: createPagesApp({ ...api, access }) },
    async stop(fast) {
      const stopMailer = mailer.stop(fast ? FAST_STOP_MS : undefined);
      await Promise.all([sweeping.stop(), audit.stop(), changes.stop(), requestLog.stop(), stopMailer]);
      await alerts?.stop();
      await idempotency.stop();
    },
  };
}
