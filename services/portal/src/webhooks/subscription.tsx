import { newId } from "@shipping/kit/ids";
import { MAX_ATTEMPTS } from "@shipping/proto/event-types";
import type {
  GetSubscriptionHealthResponse,
  SubscriptionHealth,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { describeFailure } from "../events/failure-words.js";
import { BarChart } from "../page/bar-chart.js";
import { Confirmation } from "../page/form.js";
import { AREA_PATH, ask, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { readFormId, writeByForm } from "../page/read-form.js";
import { Facts } from "../page/table.js";
import { AskLink, Breadcrumb, Chips, Id, Note, Text, Time } from "../page/text.js";
import { endpointHost, getSubscription, type Subscription } from "../read/read-webhooks.js";
import { StateTag } from "./subscriptions.js";
import { TestForm } from "./test-page.js";

// The webhooks service counts up to one more.
const MAX_PENDING = 1_000;
const GUIDE = "/docs/webhook-subscriptions#when-deliveries-fail";

export async function showSubscription(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const subscription = await getSubscription(deps, request);
  const answer = await ask(request, deps.clients.webhooks.getSubscriptionHealth, { id: request.id });
  const { url, id, status } = subscription;
  const list = `${AREA_PATH}/${environment}/webhooks`;
  const mayChange = session.role === "admin";
  return htmlPage(
    "Subscription",
    <>
      <Breadcrumb list={list}>Webhooks</Breadcrumb>
      <h1>
        {endpointHost(url)} {answer.health && <StateTag state={answer.health.state} />}
      </h1>
      <p>
        <Text>{url}</Text>
        <span class="sub">
          <Id>{id}</Id>
        </span>
      </p>
      {answer.health?.state === "failing" && <FailingNote health={answer.health} />}
      <SubscriptionFacts subscription={subscription} answer={answer} />
      <h2>Attempts per hour</h2>
      <BarChart
        label="Attempts in the last 24 hours"
        kinds={[
          { name: "Delivered", tone: "good" },
          { name: "Failed", tone: "danger" },
        ]}
        bars={answer.hours.map(({ hour, delivered, failed }) => ({ at: new Date(hour), counts: [delivered, failed] }))}
      />
      <h2>Send a test</h2>
      <TestForm deps={deps} request={request} subscription={subscription} />
      {mayChange && status === "active" && (
        <div class="actions">
          <AskLink class="danger-link" href={`${list}/${id}/disable`}>
            Disable subscription
          </AskLink>
        </div>
      )}
    </>,
  );
}

function FailingNote({ health: { failingSince, lastFailure } }: { health: SubscriptionHealth }) {
  if (!failingSince || !lastFailure) return null;
  const { what, remedy } = describeFailure(lastFailure);
  return (
    <Note kind="danger">
      <p>
        <strong>
          Nothing has been delivered since <Time at={failingSince} />.
        </strong>{" "}
        {what}.
      </p>
      <p>
        {remedy} <a href={GUIDE}>What to do when deliveries fail</a>
      </p>
    </Note>
  );
}

function SubscriptionFacts(props: { subscription: Subscription; answer: GetSubscriptionHealthResponse }) {
  const { health, pending, givenUp } = props.answer;
  const { events, created_at: createdAt, disabled_at: disabledAt } = props.subscription;
  return (
    <Facts
      class="facts"
      facts={{
        "Last success": health?.lastSuccessAt ? <Time at={health.lastSuccessAt} /> : "Never",
        "Last failure":
          health?.lastFailureAt && health.lastFailure ? (
            <>
              <Time at={health.lastFailureAt} />: {describeFailure(health.lastFailure).what}
            </>
          ) : (
            "Never"
          ),
        "Failing since": health?.failingSince && <Time at={health.failingSince} />,
        Pending: formatPending(pending),
        [`Not delivered after ${MAX_ATTEMPTS} attempts`]:
          givenUp === 0 ? "None in the last 30 days" : `${givenUp.toLocaleString("en")} in the last 30 days`,
        Events: <Chips words={events} />,
        Created: <Time at={createdAt} />,
        Disabled: disabledAt && <Time at={disabledAt} />,
      }}
    />
  );
}

function formatPending(pending: number): string {
  if (pending === 0) return "None";
  if (pending > MAX_PENDING) return `More than ${MAX_PENDING.toLocaleString("en")} events`;
  return `${pending.toLocaleString("en")} ${pending === 1 ? "event" : "events"}`;
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
