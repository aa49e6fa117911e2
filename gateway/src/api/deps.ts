import type { TrustedProxies } from "@shipping/kit/http/client-address";
import type { UnreadBytes } from "@shipping/kit/http/unread-bytes";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Bulkhead } from "../admission/bulkhead.js";
import type { Pace } from "../admission/pace.js";
import type { GatewayDeps } from "../database/deps.js";
import type { Idempotency } from "../idempotency/execute-once.js";
import type { Mailer } from "../mail/mailer.js";
import type { RequestLog } from "../request-log/request-log.js";
import type { Access, Clients } from "../service-clients/clients.js";

export interface EndpointDeps extends GatewayDeps {
  clients: Clients;
  requestsPerMinute: number;
}

/** The dependencies of the middleware, with the state of this process. */
export interface ApiDeps extends EndpointDeps {
  trustedProxies: TrustedProxies;
  metrics: Metrics;
  mailer: Mailer;
  idempotency: Idempotency;
  bulkhead: Bulkhead;
  pace: Pace;
  unread: UnreadBytes;
  requestLog: RequestLog;
  access: Access;
  ownOrigin(): string;
  /** Soon writes pending changes of subscriptions to the audit log. */
  wakeAudit(): void;
}
