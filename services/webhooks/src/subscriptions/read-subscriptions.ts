import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { listOwned } from "@shipping/kit/postgres/owned/list-owned";
import { readOwned } from "@shipping/kit/postgres/owned/read-owned";
import { noSuch } from "@shipping/proto/errors";
import {
  type GetSubscriptionRequest,
  GetSubscriptionResponseSchema,
  type ListSubscriptionsRequest,
  ListSubscriptionsResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { SubscriptionDeps } from "./deps.js";
import { type SubscriptionRow, selectSubscriptions, subscriptionJson } from "./subscription.js";

/** Reads one subscription of the caller. */
export async function getSubscription(deps: SubscriptionDeps, request: GetSubscriptionRequest) {
  const row = await findSubscription(deps, { caller: requireCaller(request), id: request.id });
  if (!row) throw fail("not_found", noSuch("webhook subscription"));
  return create(GetSubscriptionResponseSchema, { data: Buffer.from(subscriptionJson(row)) });
}

/** Reads one page of the caller's subscriptions, disabled ones included. */
export async function listSubscriptions(deps: SubscriptionDeps, request: ListSubscriptionsRequest) {
  return create(ListSubscriptionsResponseSchema, await readPage(deps, request));
}

/** Reads the stored subscription of that ID, if the caller has it. */
export const findSubscription = readOwned<SubscriptionRow, SubscriptionDeps>("id", selectSubscriptions);

const readPage = listOwned<SubscriptionRow, SubscriptionDeps>({
  select: selectSubscriptions,
  render: subscriptionJson,
});
