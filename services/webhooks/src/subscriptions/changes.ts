import { create } from "@bufbuild/protobuf";
import { fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { databaseNow } from "@shipping/kit/postgres/clock";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Actor } from "@shipping/proto/shipping/common/v1/common_pb";
import {
  type AcknowledgeChangesRequest,
  AcknowledgeChangesResponseSchema,
  type ListChangesRequest,
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
/** How long a line stays after the portal has acknowledged it: a portal that is restored from a backup reads it again. */
const ACKNOWLEDGED_DAYS = 7;

/** Stores a change for the audit log, as part of the statement that makes it, if `from` has a row, which has the account. */
export function insertChange(
  { random }: Pick<SubscriptionDeps, "random">,
  { action, at, subscriptionId, actor }: Change,
  from: Sql,
): Sql {
  return sql`
    INSERT INTO subscription_changes (id, account_id, subscription_id, action, actor, source, at)
    SELECT ${newId("aud", random)}, account_id, ${subscriptionId}, ${action}, ${actor.name}, ${actor.source}, ${at}
    FROM ${from}`;
}

/** Returns the person or API key that requests a change. A request without one is refused: only a faulty part could send it. */
export function requireActor({ actor }: { actor?: Actor | undefined }): Actor {
  if (!actor) throw fail("internal_error", "The request names no actor.");
  return actor;
}

type FeedDeps = Pick<SubscriptionDeps, "db" | "clockOffsetMs">;

/** Reads changes that the portal has not acknowledged, and those that it may have lost since. It recognizes repeated ones by their IDs. */
export async function listChanges(deps: FeedDeps, { since, after = "" }: ListChangesRequest) {
  if (since !== undefined && Number.isNaN(Date.parse(since))) throw fail("invalid_request", "since is not a time.");
  const [moment] = await deps.db.run<{ readAt: Date }>(sql`SELECT ${databaseNow(deps)} AS "readAt"`);
  const rows = await deps.db.run<ChangeRow>(sql`
    SELECT c.id AS "changeId", c.action, c.actor, c.source, c.at, s.account_id AS "accountId",
      c.subscription_id AS "subscriptionId", s.environment, s.url, s.events
    FROM subscription_changes c JOIN subscriptions s ON s.id = c.subscription_id
    WHERE (acknowledged_at IS NULL OR acknowledged_at >= ${since ?? null}::timestamptz) AND c.id > ${after}
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
    readAt: moment!.readAt.toISOString(),
  });
}

/** Deletes changes that were acknowledged seven days ago, and those that no portal has read for so long, as in an installation without one. */
export async function expireChangesOnce(deps: FeedDeps, auditRetentionDays: number): Promise<number> {
  const deleted = await deps.db.run(sql`
    WITH ${clock(deps)},
    expired AS (
      SELECT id FROM subscription_changes
      WHERE acknowledged_at <= (SELECT now FROM clock) - ${ACKNOWLEDGED_DAYS} * interval '1 day'
        OR acknowledged_at IS NULL AND at < (SELECT now FROM clock) - ${auditRetentionDays}::integer * interval '1 day'
      ORDER BY id FOR UPDATE SKIP LOCKED)
    DELETE FROM subscription_changes WHERE id = ANY(ARRAY(SELECT id FROM expired)) RETURNING id`);
  return deleted.length;
}

/** Measures changes that wait for a portal. Replicas show the same numbers: they share the database. */
export function measureChanges({ metrics, ...deps }: FeedDeps & { metrics: Pick<Metrics, "gauges"> }): void {
  const help = {
    changes_waiting: "Changes of subscriptions that the portal has not stored yet.",
    changes_oldest_waiting_seconds: "Age of the oldest of them; 0 if there is none.",
  };
  metrics.gauges(help, async () => {
    const [row] = await deps.db.runList<{ waiting: number; oldestSeconds: number }>(sql`
      SELECT count(*)::integer AS waiting,
        coalesce(extract(epoch FROM ${databaseNow(deps)} - min(at)), 0)::float8 AS "oldestSeconds"
      FROM subscription_changes WHERE acknowledged_at IS NULL`);
    return { changes_waiting: row!.waiting, changes_oldest_waiting_seconds: row!.oldestSeconds };
  });
}

/** Marks changes that the portal has stored. They stay for seven days, so that a portal that is restored from a backup reads them again. */
export async function acknowledgeChanges(deps: FeedDeps, { ids }: AcknowledgeChangesRequest) {
  if (ids.length > MAX_CHANGES)
    throw fail("invalid_request", `At most ${MAX_CHANGES} changes can be acknowledged at once.`);
  // Two portals may acknowledge the same changes, so the rows are locked in one order.
  await deps.db.run(sql`
    WITH stored AS (
      SELECT id FROM subscription_changes WHERE id = ANY(${ids}::text[]) AND acknowledged_at IS NULL ORDER BY id FOR UPDATE)
    UPDATE subscription_changes SET acknowledged_at = ${databaseNow(deps)} FROM stored WHERE subscription_changes.id = stored.id`);
  return create(AcknowledgeChangesResponseSchema);
}
