import { create } from "@bufbuild/protobuf";
import {
  type ResendDeliveriesRequest,
  type ResendDeliveriesResponse,
  ResendDeliveriesResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import sql from "sql-template-tag";
import type { DispatchDeps } from "../dispatch/deps.js";
import { clock } from "../subscriptions/deps.js";

/**
 * Makes deliveries due now, with all their attempts before them, and says what became of each. One whose attempt is under way is left
 * alone, since its end decides what follows. Locks in one order: events, so that none expires meanwhile, then deliveries, sorted.
 */
export async function resendDeliveries(
  deps: Pick<DispatchDeps, "db" | "clockOffsetMs" | "wakeDispatcher">,
  { deliveries }: ResendDeliveriesRequest,
): Promise<ResendDeliveriesResponse> {
  const rows = await deps.db.run<{ outcome: string }>(sql`
    WITH ${clock(deps)},
    asked AS (
      SELECT * FROM unnest(
        ${deliveries.map(({ eventId }) => eventId)}::text[],
        ${deliveries.map(({ subscriptionId }) => subscriptionId)}::text[]
      ) WITH ORDINALITY AS asked (event_id, subscription_id, ordinal)),
    kept AS (
      SELECT id FROM events WHERE id IN (SELECT event_id FROM asked) ORDER BY id FOR KEY SHARE),
    found AS (
      SELECT d.ctid, asked.ordinal, d.state, asked.status
      FROM (
        SELECT asked.*, s.status
        FROM asked JOIN kept ON kept.id = asked.event_id JOIN subscriptions AS s ON s.id = asked.subscription_id
        ORDER BY asked.subscription_id, asked.event_id) AS asked
      CROSS JOIN LATERAL (
        SELECT ctid, state FROM deliveries
        WHERE event_id = asked.event_id AND subscription_id = asked.subscription_id
        FOR UPDATE) AS d),
    resent AS (
      UPDATE deliveries AS d SET state = 'pending', attempt = 0, next_at = (SELECT now FROM clock)
      FROM found WHERE d.ctid = found.ctid AND found.state <> 'in_flight' AND found.status = 'active')
    SELECT CASE
      WHEN found.ordinal IS NULL THEN 'not_found'
      WHEN found.status <> 'active' THEN 'disabled'
      WHEN found.state = 'in_flight' THEN 'in_flight'
      ELSE 'resent' END AS outcome
    FROM asked LEFT JOIN found USING (ordinal) ORDER BY ordinal`);
  deps.wakeDispatcher();
  return create(ResendDeliveriesResponseSchema, { outcomes: rows.map(({ outcome }) => outcome) });
}
