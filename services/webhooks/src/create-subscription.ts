import { type Caller, type Claim, callerOf, claimOf } from "@shipping/kit/caller";
import { violated } from "@shipping/kit/database";
import { fail, failFields } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { publicJson } from "@shipping/kit/json";
import type { Rendered } from "@shipping/kit/ledger";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import { type CreateSubscriptionRequest, SubscriptionSchema } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql, { type Sql } from "sql-template-tag";
import type { WebhooksDeps } from "./deps.js";
import { newSecret } from "./signature.js";
import { fieldsAtFault, type SubscriptionRow, secretIdentity, subscriptionOf } from "./subscription.js";

/** Creates a subscription, its place in the ready queue and its replayable answer, the only one that shows the secret. */
export async function createSubscription(
  deps: WebhooksDeps,
  request: CreateSubscriptionRequest,
): Promise<WriteOutcome> {
  const { ledger, random } = deps;
  const caller = callerOf(request);
  const claim = claimOf(request);
  const faults = fieldsAtFault(request, deps.egressRules);
  if (faults.length > 0) throw failFields(faults);

  const row: SubscriptionRow = {
    id: newId("whk", random),
    environment: caller.environment,
    url: request.url,
    events: request.events,
    status: "active",
    createdAt: deps.now(),
    disabledAt: null,
  };
  const secret = newSecret(random);
  const subscription = { ...subscriptionOf(row), secret };
  const snapshot = { status: 201, body: Buffer.from(publicJson(SubscriptionSchema, subscription)) };
  const sealed = deps.keyRing.seal(Buffer.from(secret), secretIdentity(row.id));
  try {
    return await ledger.executeCreation(caller, claim, creation(deps, caller, claim, snapshot, row, sealed), snapshot);
  } catch (error) {
    if (violated(error)?.constraint === "active_subscriptions_limit") throw fail("webhook_limit_reached");
    throw error;
  }
}

// The counter is incremented FROM claim, so that a replay does not count.
function creation(
  { ledger }: WebhooksDeps,
  caller: Caller,
  claim: Claim,
  snapshot: Rendered,
  row: SubscriptionRow,
  sealed: Uint8Array,
): Sql {
  return sql`
    WITH claim AS (${ledger.claim(caller, claim, snapshot)}),
    counted AS (
      INSERT INTO active_subscriptions AS counter (account_id, environment, active)
      SELECT ${caller.accountId}, ${caller.environment}, 1 FROM claim
      ON CONFLICT (account_id, environment) DO UPDATE SET active = counter.active + 1),
    created AS (
      INSERT INTO subscriptions (id, account_id, environment, url, events, status, secret, created_at)
      SELECT ${row.id}, ${caller.accountId}, ${caller.environment}, ${row.url}, ${row.events}, ${row.status},
        ${sealed}, ${row.createdAt}
      FROM claim),
    queued AS (INSERT INTO ready_queue (subscription_id) SELECT ${row.id} FROM claim)
    SELECT token FROM claim`;
}
