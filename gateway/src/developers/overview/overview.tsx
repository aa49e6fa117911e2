import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { capabilitiesOf } from "../../api/endpoints/account.js";
import {
  type HourOfRequests,
  type Refusals,
  refusalsByCode,
  requestsByHour,
} from "../../request-log/count-requests.js";
import { AREA_PATH, callerOfPage, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { listHealth } from "../webhooks/health.js";
import { Abilities } from "./abilities.js";
import { Attention } from "./attention.js";
import { KeyUsage } from "./key-usage.js";
import { LabelFigures } from "./label-figures.js";
import { NextSteps } from "./next-steps.js";
import { type KeyInUse, keysInUse, type LabelsMade, labelsMade } from "./read-overview.js";
import { RequestFigures } from "./request-figures.js";

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
    capabilitiesOf(request.environment).labels ? labelsMade(deps, request) : undefined,
  ]);
  return { keys, hours, refusals, subscriptions: [...health.values()], labels };
}
