import type { Operation } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import type { ReadHandling, Route, WriteHandling } from "../endpoint.js";
import { getAccount } from "./account.js";
import { checkLabel, createLabel, getLabel, getLabelFile, listLabels, voidLabel } from "./labels.js";
import { createOrder, getOrder, listOrders } from "./orders.js";
import { quoteRates } from "./rates.js";
import { createShipment, getShipment, listShipments } from "./shipments.js";
import { getTracking } from "./tracking.js";
import {
  checkSubscription,
  createSubscription,
  disableSubscription,
  getSubscription,
  listSubscriptions,
} from "./webhooks.js";

const reads: Readonly<Record<string, ReadHandling["handler"]>> = {
  ...{ getAccount, getOrder, listOrders, getShipment, listShipments, getLabel, listLabels, getLabelFile },
  ...{ getTracking, getSubscription, listSubscriptions },
};

const writes: Readonly<Record<string, WriteHandling>> = {
  createOrder: { owner: "records", handler: createOrder },
  createShipment: { owner: "records", handler: createShipment },
  quoteRates: { owner: "carrier", handler: quoteRates },
  createLabel: { owner: "carrier", handler: createLabel, check: checkLabel },
  voidLabel: { owner: "carrier", isLogged: true, handler: voidLabel },
  createSubscription: { owner: "webhooks", handler: createSubscription, check: checkSubscription },
  disableSubscription: { owner: "webhooks", handler: disableSubscription },
};

/** The operations of the public API, in the order of the specification, each with how the gateway answers it. */
export const routes: readonly Route[] = operations.map(toRoute);

function toRoute(operation: Operation): Route {
  const { operationId } = operation;
  const [handler, handling] = [reads[operationId], writes[operationId]];
  if (operation.method === "GET" && handler) return { ...operation, handler };
  if (operation.method !== "GET" && handling) return { ...operation, ...handling };
  throw new Error(`The gateway has no handler for ${operationId}.`);
}
