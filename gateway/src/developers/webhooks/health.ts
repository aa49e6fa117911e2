import type {
  GetSubscriptionHealthResponse,
  SubscriptionHealth,
  TestDelivery,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { answered, callOptions } from "../../service-clients/call-owner.js";
import { callerOfPage, type PageDeps, type PageRequest } from "../page/page.js";

/** How the deliveries of one subscription go. A foreign one is missing. */
export function getHealth(deps: PageDeps, request: PageRequest): Promise<GetSubscriptionHealthResponse> {
  const wanted = { caller: callerOfPage(request), id: request.id };
  return answered(deps.clients.webhooks.getSubscriptionHealth(wanted, callOptions(request)));
}

/** Reads the health of these subscriptions; without IDs, of all active ones in the environment. */
export async function listHealth(
  deps: PageDeps,
  request: PageRequest,
  ids: readonly string[] = [],
): Promise<Map<string, SubscriptionHealth>> {
  const wanted = { caller: callerOfPage(request), ids: [...ids] };
  const { subscriptions } = await answered(deps.clients.webhooks.listSubscriptionHealth(wanted, callOptions(request)));
  return new Map(subscriptions.map((health) => [health.subscriptionId, health]));
}

/** Reads the deliveries of a test's events. */
export async function listTestDeliveries(
  deps: PageDeps,
  request: PageRequest,
  test: { resourceIds: string[]; since: string },
): Promise<TestDelivery[]> {
  const wanted = { caller: callerOfPage(request), subscriptionId: request.id, ...test };
  return (await answered(deps.clients.webhooks.listTestDeliveries(wanted, callOptions(request)))).deliveries;
}
