import type { CallOptions } from "@connectrpc/connect";
import type { PageQuery, WebhookInput } from "@shipping/api/input/schemas";
import type { EndpointDeps } from "../deps.js";
import { type Check, page, type Read, rendered, type Write } from "../endpoint.js";

export function createSubscription(
  { clients }: EndpointDeps,
  { caller, claim, actor, input }: Write<WebhookInput>,
  options: CallOptions,
) {
  return clients.webhooks.createSubscription({ caller, claim, actor, ...input }, options);
}

export async function checkSubscription(
  { clients }: EndpointDeps,
  { caller, valid: { url } }: Check<WebhookInput>,
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
  return rendered(await clients.webhooks.getSubscription({ caller, id }, options));
}

export async function listSubscriptions(
  { clients }: EndpointDeps,
  { caller, query }: Read<PageQuery>,
  options: CallOptions,
) {
  return page(await clients.webhooks.listSubscriptions({ caller, ...query }, options));
}
