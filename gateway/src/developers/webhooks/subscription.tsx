import { newId } from "@shipping/kit/ids";
import type {
  GetSubscriptionHealthResponse,
  SubscriptionHealth,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { BarChart } from "../page/bar-chart.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { Chips, Note, Text, Time } from "../page/text.js";
import { wordsOf } from "./failure-words.js";
import { getHealth, getSubscription, hostOf, type Subscription } from "./read-subscriptions.js";
import { StateTag } from "./subscriptions.js";
import { TestSection } from "./test-page.js";

const MAX_PENDING = 1_000;
const GUIDE = "/docs/webhooks#when-deliveries-fail";

/** `GET …/webhooks/{id}`: how the deliveries of a subscription go. */
export async function showSubscription(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const subscription = await getSubscription(deps, request);
  const answer = await getHealth(deps, request);
  const { url, id, status } = subscription;
  const list = `${AREA_PATH}/${environment}/webhooks`;
  const mayChange = session.role === "admin";
  return shown(
    "Subscription",
    <>
      <div class="head">
        <div>
          <h1>{hostOf(url)}</h1>
          <p>
            <Text>{url}</Text>
            <code class="sub">{id}</code>
          </p>
        </div>
        {answer.health && <StateTag state={answer.health.state} />}
      </div>
      {answer.health?.state === "failing" && <Trouble health={answer.health} />}
      <Facts subscription={subscription} answer={answer} />
      <h2>Attempts by hour</h2>
      <BarChart
        label="Attempts in the last 24 hours"
        kinds={[
          { name: "Delivered", tone: "good" },
          { name: "Failed", tone: "danger" },
        ]}
        bars={answer.hours.map(({ hour, delivered, failed }) => ({ at: new Date(hour), counts: [delivered, failed] }))}
      />
      <TestSection
        subscription={subscription}
        environment={environment}
        mayChange={mayChange}
        formId={newId("form", deps.random)}
      />
      <div class="actions">
        <a href={list}>All subscriptions</a>
        {mayChange && status === "active" && (
          <a class="danger-link" href={`${list}/${id}/disable`}>
            Disable subscription
          </a>
        )}
      </div>
    </>,
  );
}

function Trouble({ health: { failingSince, lastFailure } }: { health: SubscriptionHealth }) {
  if (!failingSince || !lastFailure) return null;
  const { what, remedy } = wordsOf(lastFailure);
  return (
    <Note kind="danger">
      <p>
        <strong>
          Nothing has been delivered since <Time at={new Date(failingSince)} />.
        </strong>{" "}
        {what}.
      </p>
      <p>
        {remedy} <a href={GUIDE}>What to do when deliveries fail</a>
      </p>
    </Note>
  );
}

function Facts({ subscription, answer }: { subscription: Subscription; answer: GetSubscriptionHealthResponse }) {
  const { health, pending, givenUp } = answer;
  const { events, created_at: createdAt, disabled_at: disabledAt } = subscription;
  return (
    <dl class="facts">
      <dt>Last success</dt>
      <dd>{health?.lastSuccessAt ? <Time at={new Date(health.lastSuccessAt)} /> : "None yet"}</dd>
      <dt>Last failure</dt>
      <dd>
        {health?.lastFailureAt && health.lastFailure ? (
          <>
            <Time at={new Date(health.lastFailureAt)} /> <span>{wordsOf(health.lastFailure).what}</span>
          </>
        ) : (
          "None yet"
        )}
      </dd>
      {health?.failingSince && (
        <>
          <dt>Failing since</dt>
          <dd>
            <Time at={new Date(health.failingSince)} />
          </dd>
        </>
      )}
      <dt>Pending</dt>
      <dd>{pendingWords(pending)}</dd>
      <dt>Given up</dt>
      <dd>{givenUp === 0 ? "None in the last 30 days" : `${givenUp.toLocaleString("en")} in the last 30 days`}</dd>
      <dt>Events to send</dt>
      <dd>
        <Chips words={events} />
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={new Date(createdAt)} />
      </dd>
      {disabledAt && (
        <>
          <dt>Disabled</dt>
          <dd>
            <Time at={new Date(disabledAt)} />
          </dd>
        </>
      )}
    </dl>
  );
}

function pendingWords(pending: number): string {
  if (pending === 0) return "None";
  if (pending > MAX_PENDING) return `More than ${MAX_PENDING.toLocaleString("en")} events`;
  return `${pending.toLocaleString("en")} ${pending === 1 ? "event" : "events"}`;
}
