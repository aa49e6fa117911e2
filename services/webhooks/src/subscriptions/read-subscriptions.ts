import { create } from "@bufbuild/protobuf";
import { type Caller, callerOf } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { listOwned } from "@shipping/kit/postgres/list-owned";
import { ownedSql } from "@shipping/kit/postgres/owned";
import {
  type GetSubscriptionRequest,
  type GetSubscriptionResponse,
  GetSubscriptionResponseSchema,
  type ListSubscriptionsRequest,
  type ListSubscriptionsResponse,
  ListSubscriptionsResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { SubscriptionDeps } from "./deps.js";
import { type SubscriptionRow, subscriptionColumns, subscriptionOf } from "./subscription.js";

/** Reads one subscription of the caller. */
export async function getSubscription(
  deps: SubscriptionDeps,
  request: GetSubscriptionRequest,
): Promise<GetSubscriptionResponse> {
  const row = await findSubscription(deps, callerOf(request), request.id);
  if (!row) throw fail("not_found", "No such webhook subscription.");
  return create(GetSubscriptionResponseSchema, { subscription: subscriptionOf(row) });
}

/** Reads one page of the caller's subscriptions, disabled ones included. */
export async function listSubscriptions(
  deps: SubscriptionDeps,
  request: ListSubscriptionsRequest,
): Promise<ListSubscriptionsResponse> {
  const { rows, nextCursor } = await findSubscriptions(deps, request);
  return create(ListSubscriptionsResponseSchema, {
    subscriptions: rows.map(subscriptionOf),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  });
}

const findSubscriptions = listOwned<SubscriptionRow>(
  (isAsked) => sql`SELECT ${subscriptionColumns} FROM subscriptions WHERE ${isAsked}`,
);

/** The stored subscription, if the caller has one of that id. */
export async function findSubscription(
  deps: SubscriptionDeps,
  caller: Caller,
  id: string,
): Promise<SubscriptionRow | undefined> {
  const rows = await deps.db.run<SubscriptionRow>(
    sql`SELECT ${subscriptionColumns} FROM subscriptions WHERE ${ownedSql(caller)} AND id = ${id}`,
  );
  return rows[0];
}
