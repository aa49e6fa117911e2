import type { CallOptions } from "@connectrpc/connect";
import type { PageQuery, WebhookInput } from "../../input/schemas.js";
import * as schemas from "../../input/schemas.js";
import type { EndpointDeps } from "../deps.js";
import {
  ANSWERED_ID,
  type Check,
  page,
  type Read,
  type Route,
  read,
  rendered,
  type Write,
  write,
} from "../endpoint.js";
import * as examples from "../examples.js";
import { createdWebhook, webhook } from "../resources.js";

export const webhookRoutes: readonly Route[] = [
  write({
    method: "POST",
    path: "/webhooks",
    scope: "webhooks:write",
    status: 201,
    owner: "webhooks",
    summary: "Create a webhook subscription",
    purpose:
      "From now on, sends each event of these types, with the names and addresses in it, to the URL. The response contains the secret that signs them. No other response contains it.",
    guide: "webhooks",
    body: schemas.webhookInput,
    answers: createdWebhook,
    check: checkSubscription,
    refusals: ["webhook_limit_reached"],
    handler: createSubscription,
    example: {
      body: examples.webhookInput,
      data: { ...examples.webhook, secret: examples.secret },
      invalid: { path: "events", message: schemas.someEvents },
    },
    leadsTo: [
      { to: getSubscription, parameters: { id: ANSWERED_ID } },
      { to: disableSubscription, parameters: { id: ANSWERED_ID } },
    ],
  }),
  read({
    path: "/webhooks",
    scope: "webhooks:read",
    owner: "webhooks",
    summary: "List webhook subscriptions",
    purpose: "Returns a page of subscriptions, including disabled ones, sorted by ID.",
    guide: "webhooks",
    query: schemas.pageQuery(schemas.webhookId),
    answers: webhook,
    handler: listSubscriptions,
    example: { data: [examples.webhook], invalid: examples.badLimit },
  }),
  read({
    path: "/webhooks/{id}",
    scope: "webhooks:read",
    owner: "webhooks",
    summary: "Retrieve a webhook subscription",
    purpose: "Returns a subscription without its secret.",
    guide: "webhooks",
    id: schemas.webhookId,
    answers: webhook,
    handler: getSubscription,
    example: {
      id: examples.webhook.id,
      data: examples.webhook,
      invalid: examples.unknownMember,
      missing: examples.noSubscription,
    },
  }),
  write({
    method: "DELETE",
    path: "/webhooks/{id}",
    scope: "webhooks:write",
    status: 200,
    owner: "webhooks",
    summary: "Disable a webhook subscription",
    purpose: "Disables a subscription. A delivery that is already on its way can still arrive.",
    guide: "webhooks",
    id: schemas.webhookId,
    answers: webhook,
    handler: disableSubscription,
    example: {
      id: examples.webhook.id,
      data: { ...examples.webhook, status: "disabled", disabled_at: "2026-01-16T09:00:00.000Z" },
      invalid: examples.noKey,
      missing: examples.noSubscription,
    },
  }),
];

function createSubscription(
  { clients }: EndpointDeps,
  { caller, claim, actor, input }: Write<WebhookInput>,
  options: CallOptions,
) {
  return clients.webhooks.createSubscription({ caller, claim, actor, ...input }, options);
}

async function checkSubscription(
  { clients }: EndpointDeps,
  { caller, valid: { url } }: Check<WebhookInput>,
  options: CallOptions,
) {
  return url === undefined ? [] : (await clients.webhooks.checkSubscription({ caller, url }, options)).fields;
}

function disableSubscription({ clients }: EndpointDeps, { caller, claim, actor, id }: Write, options: CallOptions) {
  return clients.webhooks.disableSubscription({ caller, claim, actor, id }, options);
}

async function getSubscription({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  return rendered(await clients.webhooks.getSubscription({ caller, id }, options));
}

async function listSubscriptions({ clients }: EndpointDeps, { caller, query }: Read<PageQuery>, options: CallOptions) {
  return page(await clients.webhooks.listSubscriptions({ caller, ...query }, options));
}
