import { requireCaller, requireClaim } from "@shipping/kit/caller";
import { fail, failFields } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import type { Write } from "@shipping/kit/ledger/ledger";
import { violated } from "@shipping/kit/postgres/database";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { CreateSubscriptionRequest } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql, { type Sql } from "sql-template-tag";
import { insertChange, requireActor } from "./changes.js";
import type { SubscriptionDeps } from "./deps.js";
import { fieldsAtFault, newSecret, type SubscriptionRow, secretIdentity, subscriptionJson } from "./subscription.js";

/**
 * Creates a subscription, its row in the ready queue, its change for the audit log, and its replayable answer, the only one that shows the
 * secret.
 */
export async function createSubscription(
  deps: SubscriptionDeps,
  request: CreateSubscriptionRequest,
): Promise<WriteOutcome> {
  const { random } = deps;
  const caller = requireCaller(request);
  const claim = requireClaim(request);
  const actor = requireActor(request);
  const fieldErrors = fieldsAtFault(request, deps.egressRules);
  if (fieldErrors.length > 0) throw failFields(fieldErrors);

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
  const snapshot = { status: 201, body: Buffer.from(subscriptionJson(row, secret)) };
  const sealed = deps.keyRing.seal(Buffer.from(secret), secretIdentity(row.id));
  const { id: subscriptionId, createdAt: at } = row;
  const change = insertChange(deps, { action: "created", at, subscriptionId, actor }, sql`claim`);
  const [creation] = await insert(deps, { caller, claim, snapshot }, row, { sealed, change }).catch((error) => {
    if (violated(error)?.constraint === "active_subscriptions_limit") throw fail("webhook_limit_reached");
    throw error;
  });
  return creation!;
}

// Creations are not batched: an account's subscriptions share a counter, whose lock would delay the whole batch. The counter is incremented
// FROM claim, so a replay does not count.
function insert(
  { ledger }: SubscriptionDeps,
  write: Write,
  row: SubscriptionRow,
  { sealed, change }: { sealed: Uint8Array; change: Sql },
) {
  const statement = sql`
    WITH ${ledger.claim([write])},
    counted AS (
      INSERT INTO active_subscriptions AS counter (account_id, environment, active)
      SELECT account_id, environment, 1 FROM claim
      ON CONFLICT (account_id, environment) DO UPDATE SET active = counter.active + 1),
    created AS (
      INSERT INTO subscriptions (id, account_id, environment, url, events, status, secret, created_at)
      SELECT ${row.id}, account_id, environment, ${row.url}, ${row.events}, ${row.status}, ${sealed}, ${row.createdAt}
      FROM claim),
    queued AS (INSERT INTO ready_queue (subscription_id, account_id) SELECT ${row.id}, account_id FROM claim),
    logged AS (${change})
    SELECT ordinal FROM claim`;
  return ledger.executeCreations([write], statement);
}
