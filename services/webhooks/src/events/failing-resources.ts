import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { ownedSql } from "@shipping/kit/postgres/owned/read-owned";
import {
  type ListFailingResourcesRequest,
  ListFailingResourcesResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { SubscriptionDeps } from "../subscriptions/deps.js";

/** How many waiting deliveries of each subscription are read. An account has at most ten active ones in an environment. */
const MAX_READ = 1_000;
const MAX_RESOURCES = 500;

interface FoundRow {
  /** The number of waiting deliveries that were read of the subscription with most of them. */
  read: number;
  ids: string[];
}

/**
 * Finds resources with deliveries that have failed and are tried again. Of each subscription it reads the deliveries whose next attempt is latest:
 * those that have failed most often. Deliveries that were never attempted, of which there may be very many, are due before them.
 */
export async function listFailingResources(deps: Pick<SubscriptionDeps, "db">, request: ListFailingResourcesRequest) {
  const beginning = `${request.prefix}_`;
  const [found] = await deps.db.runList<FoundRow>(sql`
    WITH waiting AS MATERIALIZED (
      SELECT s.id AS subscription_id, due.* FROM (
        SELECT id FROM subscriptions WHERE ${ownedSql(requireCaller(request))} AND status = 'active') AS s
      CROSS JOIN LATERAL (
        (SELECT account_id, event_id, attempt > 0 AS has_failed FROM deliveries
          WHERE subscription_id = s.id AND state = 'pending' ORDER BY next_at DESC LIMIT ${MAX_READ}::bigint)
        UNION ALL
        (SELECT account_id, event_id, attempt > 1 FROM deliveries
          WHERE subscription_id = s.id AND state = 'in_flight' LIMIT ${MAX_READ}::bigint)) AS due),
    failing AS MATERIALIZED (SELECT DISTINCT account_id, event_id FROM waiting WHERE has_failed LIMIT ${MAX_READ}::bigint + 1),
    resource AS MATERIALIZED (
      SELECT DISTINCT id FROM failing
      CROSS JOIN LATERAL (
        SELECT convert_from(body, 'UTF8')::json->'data' AS data FROM events WHERE id = event_id AND account_id = failing.account_id OFFSET 0) AS event
      CROSS JOIN LATERAL (VALUES (data->>'id'), (data->>'shipment_id')) AS named (id)
      WHERE starts_with(id, ${beginning}) LIMIT ${MAX_RESOURCES}::bigint + 1)
    SELECT (SELECT coalesce(max(count), 0)::integer FROM (SELECT count(*) FROM waiting GROUP BY subscription_id) AS counted) AS read,
      ARRAY(SELECT id FROM resource) AS ids`);
  const { read, ids } = found!;
  return create(ListFailingResourcesResponseSchema, {
    ids: ids.slice(0, MAX_RESOURCES),
    incomplete: read >= MAX_READ || ids.length > MAX_RESOURCES,
  });
}
