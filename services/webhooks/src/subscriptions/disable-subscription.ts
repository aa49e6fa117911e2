import { type Caller, type Claim, requireCaller, requireClaim } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { ownedSql } from "@shipping/kit/postgres/owned/read-owned";
import { noSuch } from "@shipping/proto/errors";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { DisableSubscriptionRequest } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import { insertChange, requireActor } from "./changes.js";
import type { SubscriptionDeps } from "./deps.js";
import { findSubscription } from "./read-subscriptions.js";
import { subscriptionJson } from "./subscription.js";

/** Disables a subscription, which stops the claims of its deliveries at once. A disabled subscription is answered unchanged. */
export async function disableSubscription(
  deps: SubscriptionDeps,
  request: DisableSubscriptionRequest,
): Promise<WriteOutcome> {
  const caller = requireCaller(request);
  const claim = requireClaim(request);
  // The subscription is read again if another request has disabled it in between; `disabled` is final, so once is enough.
  const outcome =
    (await disableAsRead(deps, caller, claim, request)) ?? (await disableAsRead(deps, caller, claim, request));
  if (!outcome) throw new Error("A disabled subscription has changed.");
  return outcome;
}

async function disableAsRead(
  deps: SubscriptionDeps,
  caller: Caller,
  claim: Claim,
  request: DisableSubscriptionRequest,
): Promise<WriteOutcome | undefined> {
  const { id } = request;
  const actor = requireActor(request);
  const read = await findSubscription(deps, { caller, id });
  if (!read) throw fail("not_found", noSuch("webhook subscription"));
  const now = deps.now();
  const disabled = read.status === "disabled" ? read : { ...read, status: "disabled", disabledAt: now };
  const snapshot = { status: 200, body: Buffer.from(subscriptionJson(disabled)) };
  const write = { caller, claim, snapshot };
  // The update requires the status that was read: if it has changed since, the statement has no effect.
  const statement = sql`
    WITH target AS (
      SELECT id, status FROM subscriptions
      WHERE ${ownedSql(caller)} AND id = ${read.id} AND status = ${read.status} FOR UPDATE),
    ${deps.ledger.claim([write], sql`WHERE EXISTS (SELECT FROM target)`)},
    changed AS (
      UPDATE subscriptions AS s SET status = ${disabled.status}, disabled_at = ${disabled.disabledAt}
      FROM target, claim WHERE s.id = target.id AND target.status = 'active'
      RETURNING s.account_id, s.environment),
    counted AS (
      UPDATE active_subscriptions AS counter SET active = counter.active - 1 FROM changed
      WHERE counter.account_id = changed.account_id AND counter.environment = changed.environment),
    logged AS (${insertChange(deps, { action: "disabled", at: now, subscriptionId: id, actor }, sql`changed`)})
    SELECT ordinal FROM claim`;
  const [outcome] = await deps.ledger.execute([write], statement);
  return outcome;
}
