import { type BulkheadLimits, createBulkhead } from "@shipping/kit/http/bulkhead";
import { BEHIND_A_PART } from "@shipping/kit/http/client-address";
import { measureRequests } from "@shipping/kit/http/observe-request";
import type { Application } from "@shipping/kit/http/server/public-listener";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Running } from "@shipping/kit/process/run-process";
import type { Routes } from "@shipping/kit/rpc/server";
import { PART_NAMES, PARTS } from "@shipping/proto/parts";
import { keepChanges } from "./accounts/keep-changes.js";
import { createPace, DEFAULT_PACE, measurePace, type PaceLimits } from "./admission/pace.js";
import { withPauses } from "./admission/pauses.js";
import { DEFAULT_LIMITS, measureWork } from "./admission/work.js";
import type { EdgeDeps, EndpointDeps } from "./api/deps.js";
import { createApiApp } from "./app.js";
import { startIdempotency } from "./idempotency/execute-once.js";
import { startRequestLog } from "./request-log/request-log.js";
import { gatewayRoutes } from "./rpc.js";

export interface Gateway extends Running {
  /** A public listener serves it. It stops before the gateway, whose `stop` writes the queued done marks and request log. */
  application: Application;
  /** The same API for the part `mcp`, which names the client of each request. */
  internal: Application;
  /** The RPCs for the portal and for operators. */
  routes: Routes;
}

/** The parts that may call the internal port. */
export const internalPeers: readonly string[] = PART_NAMES.filter((one) =>
  Object.values(PARTS[one].requests).some(({ part, port }) => part === "gateway" && port === "internal"),
);

export interface GatewayParts extends EndpointDeps, EdgeDeps {
  metrics: Metrics;
  bulkheadLimits?: BulkheadLimits | undefined;
  paceLimits?: PaceLimits | undefined;
  callPace?: PaceLimits | undefined;
}

/** Starts the gateway's background work, and makes its application and its RPCs. */
export function startGateway(deps: GatewayParts): Gateway {
  const { metrics, bulkheadLimits = DEFAULT_LIMITS } = deps;
  const bulkhead = withPauses(createBulkhead(bulkheadLimits));
  measureWork(metrics, bulkhead, bulkheadLimits);
  const pace = createPace(deps.paceLimits ?? DEFAULT_PACE);
  measurePace(metrics, pace);

  const idempotency = startIdempotency(deps);
  const changes = keepChanges(deps);
  const requestLog = startRequestLog(deps);

  const api = { ...deps, requestLog, idempotency, bulkhead, pace, countRequest: measureRequests(metrics) };
  return {
    application: createApiApp(api),
    internal: createApiApp({ ...api, trustedProxies: BEHIND_A_PART }, { isInternal: true }),
    routes: gatewayRoutes(deps, api),
    async stop() {
      await Promise.all([changes.stop(), requestLog.stop()]);
      await idempotency.stop();
    },
  };
}
