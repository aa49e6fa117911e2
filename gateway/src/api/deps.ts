import type { TrustedProxies } from "@shipping/kit/http/client-address";
import type { CountRequest } from "@shipping/kit/http/observe-request";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Pace } from "../admission/pace.js";
import type { PausingBulkhead } from "../admission/pauses.js";
import type { GatewayDeps } from "../database/deps.js";
import type { Idempotency } from "../idempotency/execute-once.js";
import type { Mailer } from "../mail/mailer.js";
import type { RequestLog } from "../request-log/request-log.js";
import type { Clients } from "../service-clients/clients.js";

export interface EndpointDeps extends GatewayDeps {
  clients: Clients;
  requestsPerMinute: number;
  /** The URL at which this process reaches itself. */
  ownOrigin(): string;
}

/** The dependencies of the middleware, with the state of this process. */
export interface ApiDeps extends EndpointDeps {
  trustedProxies: TrustedProxies;
  metrics: Metrics;
  countRequest: CountRequest;
  mailer: Mailer;
  idempotency: Idempotency;
  bulkhead: PausingBulkhead;
  pace: Pace;
  requestLog: RequestLog;
  /** Soon writes pending changes of subscriptions to the audit log. */
  wakeAudit(): void;
}
