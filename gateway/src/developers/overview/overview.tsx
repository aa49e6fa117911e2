import { getCapabilities } from "@shipping/api/limits";
import { countRequests } from "../../request-log/count-requests.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest, toCaller } from "../page/page.js";
import { isMissing, MissingPart, readPart, retryMissing, unlessMissing } from "../page/part.js";
import { listHealth } from "../read/read-subscriptions.js";
import { Capabilities, KeyUsage, LabelFigures, RequestFigures } from "./figures.js";
import { Attention, NextSteps } from "./next-steps.js";
import { countLabels, readKeyUsage } from "./read-figures.js";

export async function showOverview(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const [keys, { hours, refusals }, health, labels] = await Promise.all([
    readKeyUsage(deps, request),
    countRequests(deps, toCaller(request)),
    readPart(request, (part) => listHealth(deps, part)),
    getCapabilities(environment).labels ? readPart(request, (part) => countLabels(deps, part)) : undefined,
  ]);
  const [knownHealth, knownLabels] = [unlessMissing(health), unlessMissing(labels)];
  const base = `${AREA_PATH}/${environment}`;
  const isAdmin = session.role === "admin";
  const page = htmlPage(
    "Overview",
    <>
      <h1>{environment === "live" ? "Live overview" : "Sandbox overview"}</h1>
      {knownHealth && !isMissing(labels) && (
        <NextSteps
          base={base}
          isAdmin={isAdmin}
          done={{ key: keys.length > 0, label: knownLabels?.any, webhook: knownHealth.size > 0 }}
        />
      )}
      {isMissing(health) && <MissingPart what="The state of the subscriptions cannot be shown." request={request} />}
      <Attention base={base} subscriptions={[...(knownHealth?.values() ?? [])]} keys={keys} />
      <RequestFigures base={base} hours={hours} refusals={refusals} />
      {isMissing(labels) && <MissingPart what="The number of labels cannot be shown." request={request} />}
      {knownLabels && <LabelFigures base={base} labels={knownLabels} />}
      {keys.length > 0 && <KeyUsage base={base} keys={keys} limit={deps.requestsPerMinute} isAdmin={isAdmin} />}
      <Capabilities environment={environment} requestsPerMinute={deps.requestsPerMinute} />
    </>,
  );
  return retryMissing(page, request, [health, labels]);
}
