import { getCapabilities } from "@shipping/api/limits";
import { readEndpointNames } from "../database/endpoint-names.js";
import { AREA_PATH, ask, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { isMissing, MissingPart, readPart, retryMissing, unlessMissing } from "../page/part.js";
import { listHealth, nameEndpoints } from "../read/read-webhooks.js";
import { countDays, hasAnyLabel } from "./day-counts.js";
import { Capabilities, KeyUsage, RequestFigures, readKeyUsage, SlowestWrites } from "./figures.js";
import { Attention, NextSteps } from "./next-steps.js";
import { SupportFigures } from "./support.js";

const WRITES_SHOWN = 5;

/** The first page of an environment: what needs attention, then figures for support, then figures for developers. */
export async function showOverview(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const { labels: hasLabels } = getCapabilities(environment);
  const [usage, requests, slowest, health, days, label, given] = await Promise.all([
    readPart(request, (part) => readKeyUsage(deps, part)),
    readPart(request, (part) => ask(part, deps.access.countRequests, {})),
    readPart(request, (part) => ask(part, deps.access.listSlowestWrites, { limit: WRITES_SHOWN })),
    readPart(request, (part) => listHealth(deps, part, [], true)),
    readPart(request, (part) => countDays(deps, part, hasLabels)),
    hasLabels ? readPart(request, (part) => hasAnyLabel(deps, part)) : undefined,
    readEndpointNames(deps, session.accountId),
  ]);
  const subscriptions = [...(unlessMissing(health)?.values() ?? [])];
  const endpoints = subscriptions.map(({ subscriptionId: id, url }) => ({ id, url }));
  const { keys = [], requestsPerMinute } = unlessMissing(usage) ?? {};
  const base = `${AREA_PATH}/${environment}`;
  const page = htmlPage(
    "Overview",
    <>
      <h1>{environment === "live" ? "Live overview" : "Sandbox overview"}</h1>
      {!isMissing(health) && !isMissing(label) && !isMissing(usage) && (
        <NextSteps
          base={base}
          isAdmin={session.role === "admin"}
          done={{ key: keys.length > 0, label, webhook: subscriptions.length > 0 }}
        />
      )}
      {isMissing(health) && <MissingPart what="The state of the subscriptions cannot be shown." request={request} />}
      <Attention base={base} subscriptions={subscriptions} names={nameEndpoints(endpoints, given)} keys={keys} />
      {isMissing(days) ? (
        <MissingPart what="The number of shipments cannot be shown." request={request} />
      ) : (
        <SupportFigures
          {...days}
          base={base}
          hasLabels={hasLabels}
          health={isMissing(health) ? undefined : subscriptions}
        />
      )}
      {isMissing(requests) ? (
        <MissingPart what="The number of requests cannot be shown." request={request} />
      ) : (
        <RequestFigures base={base} hasCarrier={hasLabels} {...requests} />
      )}
      {isMissing(slowest) ? (
        <MissingPart what="The slowest writes cannot be shown." request={request} />
      ) : (
        <SlowestWrites base={base} requests={slowest.requests} />
      )}
      {isMissing(usage) && <MissingPart what="The usage of the API keys cannot be shown." request={request} />}
      {requestsPerMinute !== undefined && keys.length > 0 && (
        <KeyUsage base={base} keys={keys} limit={requestsPerMinute} />
      )}
      <Capabilities environment={environment} requestsPerMinute={requestsPerMinute} />
    </>,
  );
  return retryMissing(page, request, [usage, requests, slowest, health, days, label]);
}
