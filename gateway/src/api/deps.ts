import type { CountRequest } from "@shipping/kit/http/observe-request";
import type { PublicDeps } from "@shipping/kit/http/settings";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Pace } from "../admission/pace.js";
import type { PausingBulkhead } from "../admission/pauses.js";
import type { GatewayDeps } from "../database/deps.js";
import type { Idempotency } from "../idempotency/execute-once.js";
import type { RequestLog } from "../request-log/request-log.js";
import type { Clients } from "../service-clients/clients.js";

export interface EndpointDeps extends GatewayDeps {
  clients: Clients;
  requestsPerMinute: number;
  /** The URL at which this process reaches itself. */
  ownOrigin(): string;
}

/** The dependencies of the middleware, with the state of this process. */
export interface ApiDeps extends EndpointDeps, EdgeDeps {
  metrics: Metrics;
  countRequest: CountRequest;
  idempotency: Idempotency;
  bulkhead: PausingBulkhead;
  pace: Pace;
  requestLog: RequestLog;
}

/** The gateway's dependencies from its settings. */
export interface EdgeDeps extends PublicDeps {
  /** Whether clients reach this installation at its own URL. In production, it is not known without PUBLIC_URL. */
  knowsOrigin: boolean;
  requestLogDays: number;
}
