import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import { ACTIVE_KEYS_LIMIT } from "../../accounts/manage-keys.js";
import { getCapabilities } from "../../api/endpoints/account.js";
import { clock } from "../../database/deps.js";
import {
  type HourOfRequests,
  type Refusals,
  refusalsByCode,
  requestsByHour,
} from "../../request-log/count-requests.js";
import { answered, callOptions } from "../../service-clients/call-owner.js";
import { AREA_PATH, callerOfPage, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { listHealth } from "../webhooks/read-subscriptions.js";
import { Abilities, KeyUsage, LabelFigures, RequestFigures } from "./figures.js";
import { Attention, NextSteps } from "./next-steps.js";

/** All that the overview of an environment shows. What the environment cannot do is undefined. */
interface Overview {
  keys: KeyInUse[];
  hours: HourOfRequests[];
  refusals: Refusals[];
  subscriptions: SubscriptionHealth[];
  labels: LabelsMade | undefined;
}

/** `GET …/{environment}`: what happened in the last day, what needs attention, and for a new account what to do next. */
export async function showOverview(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const { keys, hours, refusals, subscriptions, labels } = await readOverview(deps, request);
  const base = `${AREA_PATH}/${environment}`;
  const isAdmin = session.role === "admin";
  return shown(
    "Overview",
    <>
      <h1>{environment === "live" ? "Live overview" : "Sandbox overview"}</h1>
      <NextSteps
        base={base}
        isAdmin={isAdmin}
        done={{ key: keys.length > 0, webhook: subscriptions.length > 0, ...(labels && { label: labels.any }) }}
      />
      <Attention base={base} subscriptions={subscriptions} keys={keys} />
      <RequestFigures base={base} hours={hours} refusals={refusals} />
      {labels && <LabelFigures base={base} labels={labels} />}
      {keys.length > 0 && <KeyUsage base={base} keys={keys} limit={deps.requestsPerMinute} isAdmin={isAdmin} />}
      <Abilities environment={environment} requestsPerMinute={deps.requestsPerMinute} />
    </>,
  );
}

async function readOverview(deps: PageDeps, request: PageRequest): Promise<Overview> {
  const caller = callerOfPage(request);
  const [keys, hours, refusals, health, labels] = await Promise.all([
    keysInUse(deps, request),
    requestsByHour(deps, caller),
    refusalsByCode(deps, caller),
    listHealth(deps, request),
    getCapabilities(request.environment).labels ? labelsMade(deps, request) : undefined,
  ]);
  return { keys, hours, refusals, subscriptions: [...health.values()], labels };
}

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
function keysInUse(deps: PageDeps, { session, environment }: PageRequest): Promise<KeyInUse[]> {
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
async function labelsMade(deps: PageDeps, request: PageRequest): Promise<LabelsMade> {
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
