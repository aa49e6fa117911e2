import sql from "sql-template-tag";
import { ACTIVE_KEYS_LIMIT } from "../../accounts/manage-keys.js";
import { clock } from "../../database/deps.js";
import { answered, callOptions } from "../../service-clients/call-owner.js";
import { callerOfPage, type PageDeps, type PageRequest } from "../page/page.js";

/** A key that opens the API, and what it is used for. */
export interface KeyInUse {
  id: string;
  name: string | null;
  lastFour: string;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  /** Whether it expires within a week. */
  expiresSoon: boolean;
  /** Counted in the last minute, as the limit counts. */
  requests: number;
}

/** The active keys of an environment, those used last first. */
export function keysInUse(deps: PageDeps, { session, environment }: PageRequest): Promise<KeyInUse[]> {
  // As `admit` counts: the window's last place is that of `last_second`, and as many places are gone as seconds since.
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

/** Labels that were made, voided ones included; each counted up to `MAX_LABELS` and one more. */
export interface LabelsMade {
  lastDay: number;
  lastMonth: number;
  /** True if there has ever been one. */
  any: boolean;
}

export const MAX_LABELS = 10_000;

const DAY_MS = 86_400_000;

/** How many labels the environment has made. */
export async function labelsMade(deps: PageDeps, request: PageRequest): Promise<LabelsMade> {
  const since = (days: number) => new Date(deps.now().getTime() - days * DAY_MS).toISOString();
  const wanted = [
    { createdFrom: since(1), atMost: MAX_LABELS + 1 },
    { createdFrom: since(30), atMost: MAX_LABELS + 1 },
    { createdFrom: new Date(0).toISOString(), atMost: 1 },
  ];
  const asked = { caller: callerOfPage(request), wanted };
  const { counts } = await answered(deps.clients.carrier.countLabels(asked, callOptions(request)));
  const [lastDay = 0, lastMonth = 0, ever = 0] = counts;
  return { lastDay, lastMonth, any: ever > 0 };
}
