import type { webhook } from "@shipping/api/resources";
import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { z } from "zod";
import { ask, type PageDeps, type PageRequest } from "../page/page.js";
import { parseResource, requireId } from "./read-resources.js";

export type Subscription = z.infer<typeof webhook>;

export async function getSubscription(deps: PageDeps, request: PageRequest): Promise<Subscription> {
  const id = requireId("whk", request.id);
  return parseResource((await ask(request, deps.clients.webhooks.getSubscription, { id })).data);
}

/** Reads the delivery health of these subscriptions, by ID. Without IDs, of all active ones in the environment. */
export async function listHealth(
  deps: PageDeps,
  request: PageRequest,
  ids: readonly string[] = [],
): Promise<Map<string, SubscriptionHealth>> {
  const { subscriptions } = await ask(request, deps.clients.webhooks.listSubscriptionHealth, { ids: [...ids] });
  return new Map(subscriptions.map((health) => [health.subscriptionId, health]));
}

/** The host of a subscription's URL, to show instead of the whole URL. Path and query may contain a token. */
export function endpointHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
