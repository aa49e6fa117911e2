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
import sql, { type Sql } from "sql-template-tag";
import type { SubscriptionDeps } from "./deps.js";
import { type SubscriptionRow, selectSubscriptions, subscriptionJson } from "./subscription.js";

/** Reads one subscription of the caller. */
export async function getSubscription(deps: SubscriptionDeps, request: GetSubscriptionRequest) {
  const row = await findSubscription(deps, { caller: requireCaller(request), id: request.id });
  if (!row) throw fail("not_found", noSuch("webhook subscription"));
  return create(GetSubscriptionResponseSchema, { data: Buffer.from(subscriptionJson(row)) });
}

/** Reads one page of the caller's subscriptions: those of one state, or all. */
export async function listSubscriptions(deps: SubscriptionDeps, request: ListSubscriptionsRequest) {
  const { status } = request;
  if (status === undefined) return create(ListSubscriptionsResponseSchema, await readPage(deps, request));
  if (status !== "active" && status !== "disabled") throw fail("invalid_request", "status must be active or disabled.");
  return create(ListSubscriptionsResponseSchema, await readPageOf[status](deps, request));
}

/** Reads the stored subscription of that ID, if the caller has it. */
export const findSubscription = readOwned<SubscriptionRow, SubscriptionDeps>("id", selectSubscriptions);

const pageOf = (isListed: Sql) =>
  listOwned<SubscriptionRow, SubscriptionDeps>({
    select: (condition) => selectSubscriptions(sql`${condition} AND ${isListed}`),
    render: subscriptionJson,
  });
const readPage = pageOf(sql`true`);
const readPageOf = { active: pageOf(sql`status = 'active'`), disabled: pageOf(sql`status = 'disabled'`) };
