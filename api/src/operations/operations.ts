import { accountOperations } from "./account.js";
import { labelOperations } from "./labels.js";
import type { Operation } from "./operation.js";
import { orderOperations } from "./orders.js";
import { rateOperations } from "./rates.js";
import { shipmentOperations } from "./shipments.js";
import { trackingOperations } from "./tracking.js";
import { webhookOperations } from "./webhooks.js";

/**
 * The specification's table of endpoints, in its order. Routing, scopes, validation, the OpenAPI document, the reference, and the tests that cover
 * every operation are derived from this table. The gateway adds to each row how it is answered.
 */
export const operations: readonly Operation[] = [
  ...accountOperations,
  ...orderOperations,
  ...shipmentOperations,
  ...rateOperations,
  ...labelOperations,
  ...trackingOperations,
  ...webhookOperations,
];
