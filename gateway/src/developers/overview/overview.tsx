import { getCapabilities } from "../../api/endpoints/account.js";
import { refusalsByCode, requestsByHour } from "../../request-log/count-requests.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest, toCaller } from "../page/page.js";
import { listHealth } from "../read/read-subscriptions.js";
import { Capabilities, KeyUsage, LabelFigures, RequestFigures } from "./figures.js";
import { Attention, NextSteps } from "./next-steps.js";
import { countLabels, readKeyUsage } from "./read-figures.js";

export async function showOverview(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const caller = toCaller(request);
  const [keys, hours, refusals, health, labels] = await Promise.all([
    readKeyUsage(deps, request),
    requestsByHour(deps, caller),
    refusalsByCode(deps, caller),
    listHealth(deps, request),
    getCapabilities(environment).labels ? countLabels(deps, request) : undefined,
  ]);
  const base = `${AREA_PATH}/${environment}`;
  const isAdmin = session.role === "admin";
  return htmlPage(
    "Overview",
    <>
      <h1>{environment === "live" ? "Live overview" : "Sandbox overview"}</h1>
      <NextSteps
        base={base}
        isAdmin={isAdmin}
        done={{ key: keys.length > 0, label: labels?.any, webhook: health.size > 0 }}
      />
      <Attention base={base} subscriptions={[...health.values()]} keys={keys} />
      <RequestFigures base={base} hours={hours} refusals={refusals} />
      {labels && <LabelFigures base={base} labels={labels} />}
      {keys.length > 0 && <KeyUsage base={base} keys={keys} limit={deps.requestsPerMinute} isAdmin={isAdmin} />}
      <Capabilities environment={environment} requestsPerMinute={deps.requestsPerMinute} />
    </>,
  );
}
