import type { CallOptions } from "@connectrpc/connect";
import { SubscriptionSchema } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { PageQuery, WebhookInput } from "../../input/schemas.js";
import type { EndpointDeps } from "../deps.js";
import type { Check, Read, Write } from "../endpoint.js";
import { one, page } from "../respond.js";

export function createSubscription(
  { clients }: EndpointDeps,
  { caller, claim, actor, input }: Write<WebhookInput>,
  options: CallOptions,
) {
  return clients.webhooks.createSubscription({ caller, claim, actor, ...input }, options);
}

export async function checkSubscription(
  { clients }: EndpointDeps,
  { caller, sound: { url } }: Check<WebhookInput>,
  options: CallOptions,
) {
  return url === undefined ? [] : (await clients.webhooks.checkSubscription({ caller, url }, options)).fields;
}

export function disableSubscription(
  { clients }: EndpointDeps,
  { caller, claim, actor, id }: Write,
  options: CallOptions,
) {
  return clients.webhooks.disableSubscription({ caller, claim, actor, id }, options);
}

export async function getSubscription({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  const { subscription } = await clients.webhooks.getSubscription({ caller, id }, options);
  return one(SubscriptionSchema, subscription);
}

export async function listSubscriptions(
  { clients }: EndpointDeps,
  { caller, query }: Read<PageQuery>,
  options: CallOptions,
) {
  const { subscriptions, nextCursor } = await clients.webhooks.listSubscriptions({ caller, ...query }, options);
  return page(SubscriptionSchema, subscriptions, nextCursor);
}
