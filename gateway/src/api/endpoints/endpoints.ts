import type { Route } from "../endpoint.js";
import { accountRoutes } from "./account.js";
import { labelRoutes } from "./labels.js";
import { orderRoutes } from "./orders.js";
import { rateRoutes } from "./rates.js";
import { shipmentRoutes } from "./shipments.js";
import { trackingRoutes } from "./tracking.js";
import { webhookRoutes } from "./webhooks.js";

/**
 * The specification's table of endpoints, in its order. Each row is next to its handler in the file of its resource. Routing, scopes, idempotency,
 * validation, the OpenAPI document, and the tests that cover every operation are derived from this table.
 */
export const routes: readonly Route[] = [
  ...accountRoutes,
  ...orderRoutes,
  ...shipmentRoutes,
  ...rateRoutes,
  ...labelRoutes,
  ...trackingRoutes,
  ...webhookRoutes,
];
