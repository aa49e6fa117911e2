import { getCapabilities } from "@shipping/api/limits";
import { AREA_PATH, ask, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { isMissing, MissingPart, readPart, retryMissing, unlessMissing } from "../page/part.js";
import { listHealth } from "../read/read-webhooks.js";
import { Capabilities, countLabels, KeyUsage, LabelFigures, RequestFigures, readKeyUsage } from "./figures.js";
import { Attention, NextSteps } from "./next-steps.js";

export async function showOverview(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const [usage, requests, health, labels] = await Promise.all([
    readPart(request, (part) => readKeyUsage(deps, part)),
    readPart(request, (part) => ask(part, deps.access.countRequests, {})),
    readPart(request, (part) => listHealth(deps, part)),
    getCapabilities(environment).labels ? readPart(request, (part) => countLabels(deps, part)) : undefined,
  ]);
  const [knownHealth, knownLabels] = [unlessMissing(health), unlessMissing(labels)];
  const { keys = [], requestsPerMinute } = unlessMissing(usage) ?? {};
  const base = `${AREA_PATH}/${environment}`;
  const isAdmin = session.role === "admin";
  const page = htmlPage(
    "Overview",
    <>
      <h1>{environment === "live" ? "Live overview" : "Sandbox overview"}</h1>
      {knownHealth && !isMissing(labels) && !isMissing(usage) && (
        <NextSteps
          base={base}
          isAdmin={isAdmin}
          done={{ key: keys.length > 0, label: knownLabels?.any, webhook: knownHealth.size > 0 }}
        />
      )}
      {isMissing(health) && <MissingPart what="The state of the subscriptions cannot be shown." request={request} />}
      <Attention base={base} subscriptions={[...(knownHealth?.values() ?? [])]} keys={keys} />
      {isMissing(requests) ? (
        <MissingPart what="The number of requests cannot be shown." request={request} />
      ) : (
        <RequestFigures base={base} {...requests} />
      )}
      {isMissing(labels) && <MissingPart what="The number of labels cannot be shown." request={request} />}
      {knownLabels && <LabelFigures base={base} labels={knownLabels} />}
      {isMissing(usage) && <MissingPart what="The usage of the API keys cannot be shown." request={request} />}
      {requestsPerMinute !== undefined && keys.length > 0 && (
        <KeyUsage base={base} keys={keys} limit={requestsPerMinute} isAdmin={isAdmin} />
      )}
      <Capabilities environment={environment} requestsPerMinute={requestsPerMinute} />
    </>,
  );
  return retryMissing(page, request, [usage, requests, health, labels]);
}
