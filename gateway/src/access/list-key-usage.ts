import { create } from "@bufbuild/protobuf";
import { ACTIVE_KEYS_LIMIT } from "@shipping/api/limits";
import { requireCaller } from "@shipping/kit/caller";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { type ListKeyUsageRequest, ListKeyUsageResponseSchema } from "@shipping/proto/shipping/access/v1/access_pb";
import sql from "sql-template-tag";
import { LISTED_KEY, type ListedKey } from "../accounts/manage-keys.js";
import { type GatewayDeps, selectColumns } from "../database/deps.js";
import { toKey } from "./read-keys.js";

interface KeyInUse extends ListedKey {
  expiresSoon: boolean;
  requests: number;
}

type Deps = Pick<GatewayDeps, "db" | "clockOffsetMs"> & { requestsPerMinute: number };

/** Reads the active keys of an environment and their requests of the last minute, most recently used first. */
export async function listKeyUsage(deps: Deps, request: ListKeyUsageRequest) {
  const { accountId, environment } = requireCaller(request);
  // A window has 61 counters, one per second; the last is that of `last_second`. As `admit` does, skip those that have expired since.
  const keys = await deps.db.runList<KeyInUse>(sql`
    SELECT ${selectColumns(LISTED_KEY, "k")},
      coalesce(k.expires_at <= ${databaseNow(deps)} + interval '7 days', false) AS "expiresSoon",
      (SELECT coalesce(sum(n), 0)::integer FROM unnest(w.counters[1 + gone.seconds : 61]) AS n) AS requests
    FROM api_keys k
    JOIN rate_windows w ON w.key_id = k.id
    CROSS JOIN LATERAL (
      SELECT least(greatest(floor(extract(epoch FROM ${databaseNow(deps)}))::bigint - w.last_second, 0), 61)::integer AS seconds
    ) AS gone
    WHERE k.account_id = ${accountId} AND k.environment = ${environment}
      AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${databaseNow(deps)})
    ORDER BY k.last_used_at DESC NULLS LAST, k.id
    LIMIT ${ACTIVE_KEYS_LIMIT}`);
  const used = keys.map(({ expiresSoon, requests, ...key }) => ({
    key: toKey({ ...key, active: true }),
    expiresSoon,
    requests,
  }));
  return create(ListKeyUsageResponseSchema, { keys: used, requestsPerMinute: deps.requestsPerMinute });
}
