import { newId } from "@shipping/kit/ids";
import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { readEndpointNames } from "../database/endpoint-names.js";
import { livePage } from "../lists/live.js";
import { showUrl } from "../mail/host-name.js";
import { Confirmation } from "../page/form.js";
import { AREA_PATH, ask, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { readFormId, writeByForm } from "../page/read-form.js";
import { AskLink, Breadcrumb, Id, Text } from "../page/text.js";
import { parseResource } from "../read/read-resources.js";
import { endpointHost, getSubscription, listHealth, type Subscription } from "../read/read-webhooks.js";
import { ChangeSecret } from "./change-secret.js";
import { FailingNote, HealthCharts, LeftOut, Reasons, SubscriptionFacts } from "./endpoint-health.js";
import { StateTag } from "./subscriptions.js";
import { TestForm } from "./test-page.js";

export async function showSubscription(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session, id } = request;
  const subscription = await getSubscription(deps, request);
  const { url, status } = subscription;
  const mayChange = session.role === "admin" && status === "active";
  const [answer, names, others] = await Promise.all([
    ask(request, deps.clients.webhooks.getSubscriptionHealth, { id }),
    readEndpointNames(deps, session.accountId),
    mayChange ? listHealth(deps, request) : new Map<string, never>(),
  ]);
  const twins = await readTwins(deps, request, subscription, [...others.values()]);
  const list = `${AREA_PATH}/${environment}/webhooks`;
  const now = deps.now();
  const name = names.get(id);
  return livePage(
    "Subscription",
    [subscription, answer, name, twins],
    <>
      <Breadcrumb list={list}>Webhooks</Breadcrumb>
      <h1>
        <Text>{name ?? endpointHost(url)}</Text> {answer.health && <StateTag state={answer.health.state} />}
      </h1>
      <p>
        <Id>{url}</Id>
        {showUrl(url) !== url && (
          <span class="sub">
            <Text>{showUrl(url)}</Text>
          </span>
        )}
        <span class="sub">
          <Id>{id}</Id>
        </span>
      </p>
      {mayChange && (
        <p>
          <a href={`${list}/${id}/name`}>{name === undefined ? "Name this endpoint" : "Rename this endpoint"}</a>
        </p>
      )}
      <FailingNote answer={answer} now={now} />
      <SubscriptionFacts subscription={subscription} answer={answer} now={now} />
      <Reasons answer={answer} now={now} />
      <HealthCharts answer={answer} />
      <h2>Send a test</h2>
      <TestForm deps={deps} request={request} subscription={subscription} />
      {mayChange && (
        <ChangeSecret
          list={list}
          subscription={subscription}
          lastSuccessAt={answer.health?.lastSuccessAt}
          pending={answer.pending}
          twins={twins}
          active={others.size}
          now={now}
        />
      )}
      <LeftOut />
      {mayChange && (
        <div class="actions">
          <AskLink class="danger-link" href={`${list}/${id}/disable`}>
            Disable subscription
          </AskLink>
        </div>
      )}
    </>,
  );
}

/** Reads the other active subscriptions with the same URL and events, the oldest first. */
async function readTwins(
  deps: PageDeps,
  request: PageRequest,
  { id, url, events }: Subscription,
  active: readonly SubscriptionHealth[],
) {
  const same = active.filter((one) => one.url === url && one.subscriptionId !== id);
  if (same.length === 0) return [];
  const asked = { limit: 100, status: "active", after: undefined };
  const { data } = await ask(request, deps.clients.webhooks.listSubscriptions, asked);
  const wanted = [...events].sort().join();
  return parseResource<Subscription[]>(data)
    .filter((one) => one.id !== id && one.url === url && [...one.events].sort().join() === wanted)
    .map((one) => ({
      id: one.id,
      createdAt: one.created_at,
      lastSuccessAt: same.find(({ subscriptionId }) => subscriptionId === one.id)?.lastSuccessAt,
    }))
    .sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

export async function confirmDisable(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const list = `${AREA_PATH}/${request.environment}/webhooks`;
  const { url, status } = await getSubscription(deps, request);
  if (status === "disabled") return { location: list };
  return htmlPage(
    "Disable a subscription",
    <Confirmation
      question={`Disable this ${request.environment} subscription?`}
      facts={{ Endpoint: <Text>{url}</Text> }}
      submit="Disable subscription"
      cancel={list}
      formId={newId("form", deps.random)}
    >
      <p>
        We stop sending events to this endpoint, including pending retries. An event that is already on its way can
        still arrive. You cannot undo this. A new subscription gets a new secret.
      </p>
    </Confirmation>,
  );
}

/** `POST …/webhooks/{id}/disable`: does what `DELETE /webhooks/{id}` does. */
export async function submitDisable(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const formId = readFormId(request.form);
  const { id } = await getSubscription(deps, request);
  await writeByForm(deps, request, { operation: "disableSubscription", id, formId, body: undefined });
  return { location: `${AREA_PATH}/${request.environment}/webhooks`, done: "subscription-disabled" };
}
