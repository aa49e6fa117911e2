import * as examples from "../examples.js";
import * as schemas from "../input/schemas.js";
import { createdWebhook, webhook } from "../resources.js";
import { ANSWERED_ID, type Operation, read, write } from "./operation.js";

export const webhookOperations: readonly Operation[] = [
  write({
    operationId: "createSubscription",
    method: "POST",
    path: "/webhooks",
    scope: "webhooks:write",
    status: 201,
    summary: "Create a webhook subscription",
    purpose:
      "From now on, sends each event of these types, with the names and addresses in it, to the URL. The response contains the secret that signs them. No other response contains it.",
    guide: "webhooks",
    body: schemas.webhookInput,
    answers: createdWebhook,
    refusals: ["webhook_limit_reached"],
    example: {
      body: examples.webhookInput,
      data: { ...examples.webhook, secret: examples.secret },
      invalid: { path: "events", message: schemas.someEvents },
    },
    leadsTo: [
      { to: "getSubscription", parameters: { id: ANSWERED_ID } },
      { to: "disableSubscription", parameters: { id: ANSWERED_ID } },
    ],
  }),
  read({
    operationId: "listSubscriptions",
    path: "/webhooks",
    scope: "webhooks:read",
    summary: "List webhook subscriptions",
    purpose: "Returns a page of subscriptions, including disabled ones, sorted by ID.",
    guide: "webhooks",
    query: schemas.pageQuery(schemas.webhookId),
    answers: webhook,
    example: { data: [examples.webhook], invalid: examples.badLimit },
  }),
  read({
    operationId: "getSubscription",
    path: "/webhooks/{id}",
    scope: "webhooks:read",
    summary: "Retrieve a webhook subscription",
    purpose: "Returns a subscription without its secret.",
    guide: "webhooks",
    id: schemas.webhookId,
    answers: webhook,
    example: {
      id: examples.webhook.id,
      data: examples.webhook,
      invalid: examples.unknownParameter,
      missing: examples.noSubscription,
    },
  }),
  write({
    operationId: "disableSubscription",
    method: "DELETE",
    path: "/webhooks/{id}",
    scope: "webhooks:write",
    status: 200,
    summary: "Disable a webhook subscription",
    purpose: "Disables a subscription. A delivery that is already on its way can still arrive.",
    guide: "webhooks",
    id: schemas.webhookId,
    answers: webhook,
    example: {
      id: examples.webhook.id,
      data: { ...examples.webhook, status: "disabled", disabled_at: "2026-01-16T09:00:00.000Z" },
      invalid: examples.noKey,
      missing: examples.noSubscription,
    },
  }),
];
