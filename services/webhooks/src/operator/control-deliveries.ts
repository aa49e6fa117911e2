import { create } from "@bufbuild/protobuf";
import {
  type DeliveryName,
  type HoldDeliveriesRequest,
  HoldDeliveriesResponseSchema,
  type ResendDeliveriesRequest,
  ResendDeliveriesResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import sql from "sql-template-tag";
import type { DispatchDeps } from "../dispatch/deps.js";
import { clock } from "../subscriptions/deps.js";

/**
 * Makes deliveries due now, with all their attempts ahead of them, and returns the result for each. A delivery with an attempt under way is
 * left alone, because the attempt's end decides what follows. Locks in one order: events, so that none expires meanwhile, then deliveries,
 * sorted.
 *
 * The lock may have waited for an attempt to end. The statement does not see the new version of the row, so the update finds it by its key.
 * PostgreSQL (up to 18 at least) first checks the constraints on the old version, so the claim is cleared although it is already gone.
 */
export async function resendDeliveries(
  deps: Pick<DispatchDeps, "db" | "clockOffsetMs" | "wakeDispatcher">,
  { deliveries }: ResendDeliveriesRequest,
) {
  const rows = await deps.db.run<{ eventId: string; subscriptionId: string; outcome: string }>(sql`
    WITH ${clock(deps)},
    asked AS (
      SELECT DISTINCT event_id, subscription_id FROM unnest(
        ${deliveries.map(({ eventId }) => eventId)}::text[],
        ${deliveries.map(({ subscriptionId }) => subscriptionId)}::text[]
      ) AS asked (event_id, subscription_id)),
    kept AS (
      SELECT id FROM events WHERE id IN (SELECT event_id FROM asked) ORDER BY id FOR KEY SHARE),
    found AS (
      SELECT asked.*, d.state
      FROM (
        SELECT asked.*, s.account_id, s.status FROM asked JOIN subscriptions AS s ON s.id = asked.subscription_id
        WHERE asked.event_id = ANY (ARRAY(SELECT id FROM kept))
        ORDER BY asked.subscription_id, asked.event_id) AS asked
      CROSS JOIN LATERAL (
        SELECT state FROM deliveries
        WHERE account_id = asked.account_id AND event_id = asked.event_id AND subscription_id = asked.subscription_id
        FOR UPDATE) AS d),
    resent AS (
      UPDATE deliveries AS d SET
        state = 'pending', attempt = 0, next_at = (SELECT now FROM clock), lease_until = NULL, claim_id = NULL
      FROM found
      WHERE d.account_id = found.account_id AND d.event_id = found.event_id AND d.subscription_id = found.subscription_id
        AND found.state <> 'in_flight' AND found.status = 'active'
      RETURNING d.event_id, d.subscription_id)
    SELECT event_id AS "eventId", subscription_id AS "subscriptionId", CASE
      WHEN status <> 'active' THEN 'disabled'
      WHEN (event_id, subscription_id) IN (SELECT event_id, subscription_id FROM resent) THEN 'resent'
      ELSE 'in_flight' END AS outcome
    FROM found`);
  deps.wakeDispatcher();
  const outcomes = new Map(rows.map((row) => [toKey(row), row.outcome]));
  return create(ResendDeliveriesResponseSchema, {
    outcomes: deliveries.map((delivery) => outcomes.get(toKey(delivery)) ?? "not_found"),
  });
}

const toKey = (name: Pick<DeliveryName, "eventId" | "subscriptionId">) => `${name.eventId} ${name.subscriptionId}`;

/** Holds the deliveries of an account, or lets them continue. An attempt that is under way ends as usual. */
export async function holdDeliveries(
  deps: Pick<DispatchDeps, "db" | "wakeDispatcher">,
  { accountId, held }: HoldDeliveriesRequest,
) {
  await deps.db.run(
    held
      ? sql`INSERT INTO held_accounts (account_id, since) VALUES (${accountId}, clock_timestamp()) ON CONFLICT DO NOTHING`
      : sql`DELETE FROM held_accounts WHERE account_id = ${accountId}`,
  );
  if (!held) deps.wakeDispatcher();
  return create(HoldDeliveriesResponseSchema);
}
