import { create } from "@bufbuild/protobuf";
import type { Peers } from "@shipping/kit/peers";
import type { Routes } from "@shipping/kit/serve";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import {
  CheckSubscriptionResponseSchema,
  CreateSubscriptionResponseSchema,
  DisableSubscriptionResponseSchema,
  WebhooksService,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { acknowledgeChanges, listChanges } from "./changes.js";
import { createSubscription } from "./create-subscription.js";
import type { WebhooksDeps } from "./deps.js";
import { disableSubscription } from "./disable-subscription.js";
import { filterMissing } from "./filter-missing.js";
import { getSubscription, listSubscriptions } from "./read-subscriptions.js";
import { rotateSecrets } from "./rotate-secrets.js";
import { urlAtFault } from "./subscription.js";

const its = WebhooksService.method;

/** Which part may call what of webhooks. The operator's commands run in the gateway's pods, as the gateway. */
export const webhooksPeers: Peers = {
  gateway: [
    its.createSubscription,
    its.checkSubscription,
    its.getSubscription,
    its.listSubscriptions,
    its.disableSubscription,
    its.listChanges,
    its.acknowledgeChanges,
    its.rotateSecrets,
    ...LedgerService.methods,
  ],
  records: [its.filterMissing],
  carrier: [its.filterMissing],
};

/** The RPCs of webhooks, each one operation. */
export function webhooksRoutes(deps: WebhooksDeps): Routes {
  return (router) => {
    deps.ledger.routes(router);
    router.service(WebhooksService, {
      createSubscription: async (request) =>
        create(CreateSubscriptionResponseSchema, { outcome: await createSubscription(deps, request) }),
      checkSubscription: ({ url }) =>
        create(CheckSubscriptionResponseSchema, { fields: urlAtFault(url, deps.egressRules) }),
      getSubscription: (request) => getSubscription(deps, request),
      listSubscriptions: (request) => listSubscriptions(deps, request),
      disableSubscription: async (request) =>
        create(DisableSubscriptionResponseSchema, { outcome: await disableSubscription(deps, request) }),
      listChanges: () => listChanges(deps),
      acknowledgeChanges: (request) => acknowledgeChanges(deps, request),
      filterMissing: (request) => filterMissing(deps, request),
      rotateSecrets: () => rotateSecrets(deps),
    });
  };
}
