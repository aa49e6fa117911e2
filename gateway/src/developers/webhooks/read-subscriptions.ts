import { fail } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import type {
  GetSubscriptionHealthResponse,
  SubscriptionHealth,
  TestDelivery,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { z } from "zod";
import type { webhook } from "../../api/resources.js";
import { answered, callOptions } from "../../service-clients/call-owner.js";
import { callerOfPage, type PageDeps, type PageRequest } from "../page/page.js";
import { cursorOf, PAGE_SIZE } from "../page/paging.js";
import { writeByForm } from "../page/write-by-form.js";

/** A subscription, as `GET /webhooks/{id}` shows it. */
export type Subscription = z.infer<typeof webhook>;

/** A page of an environment's subscriptions, by the same RPC as `GET /webhooks`. */
export async function listSubscriptions(deps: PageDeps, request: PageRequest) {
  const after = cursorOf(request.query, "whk");
  const page = { caller: callerOfPage(request), limit: PAGE_SIZE, ...(after && { after }) };
  const { data, nextCursor } = await answered(deps.clients.webhooks.listSubscriptions(page, callOptions(request)));
  return { subscriptions: parsed<Subscription[]>(data), nextCursor };
}

/** One of them; a foreign one is missing. */
export async function getSubscription(deps: PageDeps, request: PageRequest): Promise<Subscription> {
  if (!isId("whk", request.id)) throw fail("not_found");
  const wanted = { caller: callerOfPage(request), id: request.id };
  const { data } = await answered(deps.clients.webhooks.getSubscription(wanted, callOptions(request)));
  return parsed(data);
}

/** `POST /webhooks` by form: the form's id is the idempotency key. Undefined: this form has done so before. */
export async function createSubscription(
  deps: PageDeps,
  request: PageRequest,
  { formId, ...body }: { formId: string; url: string; events: readonly string[] },
): Promise<{ id: string; secret: string } | undefined> {
  const snapshot = await writeByForm(deps, request, { row: "POST /webhooks", formId, body });
  if (snapshot.replayed) return undefined;
  return parsed(snapshot.body);
}

/** `DELETE /webhooks/{id}` by form. */
export async function disableSubscription(deps: PageDeps, request: PageRequest, formId: string): Promise<void> {
  const { id } = await getSubscription(deps, request);
  await writeByForm(deps, request, { row: "DELETE /webhooks/{id}", id, formId, body: undefined });
}

/** A resource as its owner rendered it. */
export function parsed<Resource>(json: Uint8Array): Resource {
  return JSON.parse(Buffer.from(json).toString()) as Resource;
}

/** The host of a subscription's URL, by which people recognise it. Path and query may hold a token. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

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
