import { answered, callOptions } from "@shipping/kit/rpc/call-owner";
import sql from "sql-template-tag";
import { ACTIVE_KEYS_LIMIT, type ListedKey } from "../../accounts/manage-keys.js";
import { clock } from "../../database/deps.js";
import { type PageDeps, type PageRequest, toCaller } from "../page/page.js";

export interface KeyInUse extends Pick<ListedKey, "id" | "name" | "lastFour" | "lastUsedAt" | "expiresAt"> {
  expiresSoon: boolean;
  /** Requests in the last minute, as the rate limit counts them. */
  requests: number;
}

/** Reads the active keys of an environment, most recently used first. */
export function readKeyUsage(deps: PageDeps, { session, environment }: PageRequest): Promise<KeyInUse[]> {
  // A window has 61 counters, one per second; the last is that of `last_second`. As `admit` does, skip those that have expired since.
  return deps.db.run<KeyInUse>(sql`
    SELECT k.id, k.name, k.last_four AS "lastFour", k.last_used_at AS "lastUsedAt", k.expires_at AS "expiresAt",
      coalesce(k.expires_at <= ${clock(deps)} + interval '7 days', false) AS "expiresSoon",
      (SELECT coalesce(sum(n), 0)::integer FROM unnest(w.counters[1 + gone.seconds : 61]) AS n) AS requests
    FROM api_keys k
    JOIN rate_windows w ON w.key_id = k.id
    CROSS JOIN LATERAL (
      SELECT least(greatest(floor(extract(epoch FROM ${clock(deps)}))::bigint - w.last_second, 0), 61)::integer AS seconds
    ) AS gone
    WHERE k.account_id = ${session.accountId} AND k.environment = ${environment}
      AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${clock(deps)})
    ORDER BY k.last_used_at DESC NULLS LAST, k.id
    LIMIT ${ACTIVE_KEYS_LIMIT}`);
}

/** Numbers of created labels, including voided ones. A number above `MAX_LABELS` means "more than that". */
export interface LabelCounts {
  lastDay: number;
  lastMonth: number;
  /** True if a label was ever created. */
  any: boolean;
}

export const MAX_LABELS = 10_000;

const DAY_MS = 86_400_000;

export async function countLabels(deps: PageDeps, request: PageRequest): Promise<LabelCounts> {
  const since = (days: number) => new Date(deps.now().getTime() - days * DAY_MS).toISOString();
  const wanted = [
    { createdFrom: since(1), atMost: MAX_LABELS + 1 },
    { createdFrom: since(30), atMost: MAX_LABELS + 1 },
    { createdFrom: new Date(0).toISOString(), atMost: 1 },
  ];
  const call = deps.clients.carrier.countLabels({ caller: toCaller(request), wanted }, callOptions(request));
  const [lastDay = 0, lastMonth = 0, ever = 0] = (await answered(call)).counts;
  return { lastDay, lastMonth, any: ever > 0 };
}
