import type { GatewayDeps } from "../database/deps.js";

/** The dependencies of the RPCs for the portal. */
export interface AccessDeps extends GatewayDeps {
  requestsPerMinute: number;
  /** For how many days requests are kept; 0 turns the log off. */
  requestLogDays: number;
}
