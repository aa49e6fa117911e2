import type { webhook } from "@shipping/api/resources";
import { answered, callOptions } from "@shipping/kit/rpc/call-owner";
import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { z } from "zod";
import { type PageDeps, type PageRequest, toCaller } from "../page/page.js";
import { PAGE_SIZE, readCursor } from "../page/paging.js";
import { parseResource, requireId } from "./read-resources.js";

export type Subscription = z.infer<typeof webhook>;

export async function listSubscriptions(deps: PageDeps, request: PageRequest) {
  const after = readCursor(request.query, "whk");
  const page = { caller: toCaller(request), limit: PAGE_SIZE, ...(after && { after }) };
  const { data, nextCursor } = await answered(deps.clients.webhooks.listSubscriptions(page, callOptions(request)));
  return { subscriptions: parseResource<Subscription[]>(data), nextCursor };
}

export async function getSubscription(deps: PageDeps, request: PageRequest): Promise<Subscription> {
  requireId("whk", request.id);
  const wanted = { caller: toCaller(request), id: request.id };
  const { data } = await answered(deps.clients.webhooks.getSubscription(wanted, callOptions(request)));
  return parseResource(data);
}

/** Reads the delivery health of a subscription; 404 for one of another caller. */
export function getHealth(deps: PageDeps, request: PageRequest) {
  const wanted = { caller: toCaller(request), id: request.id };
  return answered(deps.clients.webhooks.getSubscriptionHealth(wanted, callOptions(request)));
}

/** Reads the delivery health of these subscriptions, by ID. Without IDs, of all active ones in the environment. */
export async function listHealth(
  deps: PageDeps,
  request: PageRequest,
  ids: readonly string[] = [],
): Promise<Map<string, SubscriptionHealth>> {
  const wanted = { caller: toCaller(request), ids: [...ids] };
  const { subscriptions } = await answered(deps.clients.webhooks.listSubscriptionHealth(wanted, callOptions(request)));
  return new Map(subscriptions.map((health) => [health.subscriptionId, health]));
}

/** The host of a subscription's URL, to show instead of the whole URL. Path and query may contain a token. */
export function endpointHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
