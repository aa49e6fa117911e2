import { create } from "@bufbuild/protobuf";
import type { Routes } from "@shipping/kit/rpc/server";
import { ownerOperationsRoutes } from "@shipping/kit/service/owner-operations";
import type { Peers } from "@shipping/kit/tls/secure-server";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { WebhooksOperationsService } from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import {
  CheckSubscriptionResponseSchema,
  CreateSubscriptionResponseSchema,
  DisableSubscriptionResponseSchema,
  WebhooksService,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { DispatchDeps } from "./dispatch/deps.js";
import { listFailingResources } from "./events/failing-resources.js";
import { filterMissing, getEvent, listArrived, listEventOutcomes } from "./events/read-events.js";
import { acknowledgeFailing, claimFailing } from "./health/claim-failing.js";
import { listTestDeliveries } from "./health/list-test-deliveries.js";
import { getSubscriptionHealth, listSubscriptionHealth } from "./health/read-health.js";
import { countResources, webhooksAccountData, webhooksMigrations } from "./operator/account-data.js";
import { claimStream, getStream, type StreamDeps } from "./operator/claim-stream.js";
import { holdDeliveries, resendDeliveries } from "./operator/control-deliveries.js";
import { dropDeadEvent, listDeadEvents, retryDeadEvent, showDeadEvent } from "./operator/dead-events.js";
import { listDeliveries, showEvent } from "./operator/read-deliveries.js";
import { showSubscription } from "./operator/show-subscription.js";
import { acknowledgeChanges, listChanges } from "./subscriptions/changes.js";
import { createSubscription } from "./subscriptions/create-subscription.js";
import { disableSubscription } from "./subscriptions/disable-subscription.js";
import { getSubscription, listSubscriptions } from "./subscriptions/read-subscriptions.js";
import { rotateSecrets } from "./subscriptions/rotate-secrets.js";
import { urlAtFault } from "./subscriptions/subscription.js";

const its = WebhooksService.method;

/** The methods of webhooks that each part, and the operator, may call. */
export const webhooksPeers: Peers = {
  gateway: [
    its.createSubscription,
    its.checkSubscription,
    its.getSubscription,
    its.listSubscriptions,
    its.disableSubscription,
    ...LedgerService.methods,
  ],
  operator: [
    its.rotateSecrets,
    its.getStream,
    LedgerService.method.read,
    ...WebhooksOperationsService.methods,
    ...OwnerOperationsService.methods,
  ],
  portal: [
    its.getSubscription,
    its.listSubscriptions,
    its.getSubscriptionHealth,
    its.listSubscriptionHealth,
    its.listTestDeliveries,
    its.getEvent,
    its.listEventOutcomes,
    its.listFailingResources,
    its.listChanges,
    its.acknowledgeChanges,
    its.claimFailing,
    its.acknowledgeFailing,
  ],
  records: [its.filterMissing, its.listArrived, its.getStream],
  carrier: [its.filterMissing, its.listArrived, its.getStream],
};

/** The routes of webhooks' RPCs. Each is one operation. */
export function webhooksRoutes(deps: DispatchDeps, stream: StreamDeps): Routes {
  return (router) => {
    deps.ledger.routes(router);
    ownerOperationsRoutes(router, {
      db: deps.db,
      countResources,
      accountData: webhooksAccountData,
      migrations: webhooksMigrations,
    });
    router.service(WebhooksService, {
      createSubscription: async (request) =>
        create(CreateSubscriptionResponseSchema, { outcome: await createSubscription(deps, request) }),
      checkSubscription: ({ url }) =>
        create(CheckSubscriptionResponseSchema, { fields: urlAtFault(url, deps.egressRules) }),
      getSubscription: (request) => getSubscription(deps, request),
      listSubscriptions: (request) => listSubscriptions(deps, request),
      disableSubscription: async (request) =>
        create(DisableSubscriptionResponseSchema, { outcome: await disableSubscription(deps, request) }),
      listChanges: (request) => listChanges(deps, request),
      acknowledgeChanges: (request) => acknowledgeChanges(deps, request),
      getEvent: (request) => getEvent(deps, request),
      listEventOutcomes: (request) => listEventOutcomes(deps, request),
      listFailingResources: (request) => listFailingResources(deps, request),
      filterMissing: (request) => filterMissing(deps, request),
      listArrived: (request) => listArrived(deps, request),
      getStream: () => getStream(stream),
      rotateSecrets: () => rotateSecrets(deps),
      getSubscriptionHealth: (request) => getSubscriptionHealth(deps, request),
      listSubscriptionHealth: (request) => listSubscriptionHealth(deps, request),
      claimFailing: () => claimFailing(deps),
      acknowledgeFailing: (request) => acknowledgeFailing(deps, request),
      listTestDeliveries: (request) => listTestDeliveries(deps, request),
    });
    router.service(WebhooksOperationsService, {
      showEvent: (request) => showEvent(deps, request),
      listDeliveries: (request) => listDeliveries(deps, request),
      resendDeliveries: (request) => resendDeliveries(deps, request),
      showSubscription: (request) => showSubscription(deps, request),
      listDeadEvents: (request) => listDeadEvents(deps, request),
      showDeadEvent: (request) => showDeadEvent(deps, request),
      retryDeadEvent: (request) => retryDeadEvent(deps, request),
      dropDeadEvent: (request) => dropDeadEvent(deps, request),
      holdDeliveries: (request) => holdDeliveries(deps, request),
      claimStream: () => claimStream(stream),
    });
  };
}
