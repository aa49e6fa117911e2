import { create } from "@bufbuild/protobuf";
import { fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Actor } from "@shipping/proto/shipping/common/v1/common_pb";
import {
  type AcknowledgeChangesRequest,
  AcknowledgeChangesResponseSchema,
  ListChangesResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql, { type Sql } from "sql-template-tag";
import { clock, type SubscriptionDeps } from "./deps.js";
import type { SubscriptionRow } from "./subscription.js";

export interface Change {
  action: "created" | "disabled";
  at: Date;
  subscriptionId: string;
  actor: Actor;
}

interface ChangeRow extends Pick<SubscriptionRow, "environment" | "url" | "events"> {
  changeId: string;
  subscriptionId: string;
  accountId: string;
  actor: string;
  source: string;
  action: string;
  at: Date;
}

const MAX_CHANGES = 100;

/** Stores a change for the audit log, as part of the statement that makes it, if `from` has a row. */
export function insertChange(
  { random }: Pick<SubscriptionDeps, "random">,
  { action, at, subscriptionId, actor }: Change,
  from: Sql,
): Sql {
  return sql`
    INSERT INTO subscription_changes (id, subscription_id, action, actor, source, at)
    SELECT ${newId("aud", random)}, ${subscriptionId}, ${action}, ${actor.name}, ${actor.source}, ${at}
    FROM ${from}`;
}

/** Returns the person or API key that requests a change. A request without one is refused: only a faulty part could send it. */
export function requireActor({ actor }: { actor?: Actor | undefined }): Actor {
  if (!actor) throw fail("internal_error", "The request names no actor.");
  return actor;
}

/** Reads changes that have not been acknowledged. A reader recognizes repeated ones by their IDs. */
export async function listChanges({ db }: Pick<SubscriptionDeps, "db">) {
  const rows = await db.run<ChangeRow>(sql`
    SELECT c.id AS "changeId", c.action, c.actor, c.source, c.at, s.account_id AS "accountId",
      c.subscription_id AS "subscriptionId", s.environment, s.url, s.events
    FROM subscription_changes c JOIN subscriptions s ON s.id = c.subscription_id
    ORDER BY c.id LIMIT ${MAX_CHANGES}`);
  return create(ListChangesResponseSchema, {
    changes: rows.map((row) => ({
      id: row.changeId,
      owner: { accountId: row.accountId, environment: row.environment },
      actor: { name: row.actor, source: row.source },
      action: row.action,
      subscriptionId: row.subscriptionId,
      url: row.url,
      events: row.events,
      at: row.at.toISOString(),
    })),
  });
}

/** Deletes changes that no portal has read for so long, as in an installation without one. */
export async function expireChangesOnce(
  deps: Pick<SubscriptionDeps, "db" | "clockOffsetMs">,
  auditRetentionDays: number,
): Promise<number> {
  const deleted = await deps.db.run(sql`
    WITH ${clock(deps)},
    expired AS (
      SELECT id FROM subscription_changes
      WHERE at < (SELECT now FROM clock) - ${auditRetentionDays}::integer * interval '1 day'
      ORDER BY id FOR UPDATE SKIP LOCKED)
    DELETE FROM subscription_changes WHERE id = ANY(ARRAY(SELECT id FROM expired)) RETURNING id`);
  return deleted.length;
}

/** Measures changes that wait for a portal. Replicas show the same number: they share the database. */
export function measureChanges({
  db,
  metrics,
}: Pick<SubscriptionDeps, "db"> & { metrics: Pick<Metrics, "gauges"> }): void {
  metrics.gauges({ changes_waiting: "Changes of subscriptions that the portal has not stored yet." }, async () => {
    const [row] = await db.runList<{ count: number }>(sql`SELECT count(*)::integer FROM subscription_changes`);
    return { changes_waiting: row!.count };
  });
}

/** Deletes changes that are in the audit log. */
export async function acknowledgeChanges({ db }: Pick<SubscriptionDeps, "db">, { ids }: AcknowledgeChangesRequest) {
  // Two gateways may acknowledge the same changes, so the rows are locked in one order.
  await db.run(sql`
    WITH logged AS (SELECT id FROM subscription_changes WHERE id = ANY(${ids}::text[]) ORDER BY id FOR UPDATE)
    DELETE FROM subscription_changes USING logged WHERE subscription_changes.id = logged.id`);
  return create(AcknowledgeChangesResponseSchema);
}
