import type { PaceLimits } from "../admission/pace.js";
import type { GatewayDeps } from "../database/deps.js";

/** The dependencies of the RPCs for the portal. */
export interface AccessDeps extends GatewayDeps {
  requestsPerMinute: number;
  /** For how many days requests are kept; 0 turns the log off. */
  requestLogDays: number;
  /** How many calls begin in a second. Only tests set another number. */
  callPace?: PaceLimits | undefined;
}
