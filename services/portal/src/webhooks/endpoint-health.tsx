import { MAX_ATTEMPTS } from "@shipping/proto/event-types";
import type {
  GetSubscriptionHealthResponse,
  SubscriptionHealth,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { describeFailure } from "../events/failure-words.js";
import { BarChart } from "../page/bar-chart.js";
import { Facts, Table } from "../page/table.js";
import { Chips, Note, Time, TimeAgo } from "../page/text.js";
import type { Subscription } from "../read/read-webhooks.js";

// The webhooks service counts up to one more.
const MAX_PENDING = 1_000;
const GUIDE = "/docs/webhook-subscriptions#when-deliveries-fail";

interface Health {
  answer: GetSubscriptionHealthResponse;
  now: Date;
}

/** Says since when nothing has been delivered, why, and what to do. Renders nothing if the endpoint is not failing. */
export function FailingNote({ answer: { health }, now }: Health) {
  if (health?.state !== "failing" || !health.failingSince || !health.lastFailure) return null;
  const { what, remedy } = describeFailure(health.lastFailure);
  return (
    <Note kind="danger">
      <p>
        <strong>
          Nothing has been delivered since <TimeAgo at={health.failingSince} now={now} />.
        </strong>{" "}
        {what}.
      </p>
      <p>
        {remedy} <a href={GUIDE}>What to do when deliveries fail</a>
      </p>
    </Note>
  );
}

export function SubscriptionFacts({ answer, subscription, now }: Health & { subscription: Subscription }) {
  const { health, pending, givenUp } = answer;
  const { events, created_at: createdAt, disabled_at: disabledAt } = subscription;
  return (
    <Facts
      facts={{
        "Last success": health?.lastSuccessAt ? <TimeAgo at={health.lastSuccessAt} now={now} /> : "Never",
        "Last failure": <LastFailure health={health} now={now} />,
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

function LastFailure({ health, now }: { health: SubscriptionHealth | undefined; now: Date }) {
  if (!health?.lastFailureAt || !health.lastFailure) return <>Never</>;
  return (
    <>
      <TimeAgo at={health.lastFailureAt} now={now} />: {describeFailure(health.lastFailure).what}
    </>
  );
}

function formatPending(pending: number): string {
  if (pending === 0) return "None";
  if (pending > MAX_PENDING) return `More than ${MAX_PENDING.toLocaleString("en")} events`;
  return `${pending.toLocaleString("en")} ${pending === 1 ? "event" : "events"}`;
}

/** The attempts of the last 30 days and of the last 24 hours as charts. */
export function HealthCharts({ answer: { days, hours } }: Pick<Health, "answer">) {
  return (
    <>
      {days.length > 0 && (
        <>
          <h2>Health in the last 30 days</h2>
          <BarChart
            label="Attempts in the last 30 days"
            unit="day"
            kinds={[
              { name: "Delivered", tone: "good" },
              { name: "Failed attempts", tone: "warning" },
              { name: "Given up", tone: "danger" },
            ]}
            // The last attempt of an event that was given up is among those that failed.
            bars={days.map(({ day, delivered, failed, givenUp }) => ({
              at: new Date(day),
              counts: [delivered, Math.max(0, failed - givenUp), givenUp],
            }))}
          />
        </>
      )}
      <h2>Attempts per hour</h2>
      <BarChart
        label="Attempts in the last 24 hours"
        kinds={[
          { name: "Delivered", tone: "good" },
          { name: "Failed", tone: "danger" },
        ]}
        bars={hours.map(({ hour, delivered, failed }) => ({ at: new Date(hour), counts: [delivered, failed] }))}
      />
    </>
  );
}

/** Why pending events have failed, and what to do about each reason. */
export function Reasons({ answer: { waiting }, now }: Health) {
  if (waiting.length === 0) return null;
  const rows = waiting.flatMap(({ failure, ...row }) => (failure ? { ...row, ...describeFailure(failure) } : []));
  return (
    <>
      <h2>Why events are waiting</h2>
      <Table
        columns={{
          "Last failure": ({ what }) => <strong>{what}</strong>,
          Events: ({ deliveries }) => deliveries.toLocaleString("en"),
          "What to do": ({ remedy }) => remedy,
          "Failed last": ({ lastAt }) => <TimeAgo at={lastAt} now={now} />,
          "Next attempt": ({ nextAt }) => <TimeAgo at={nextAt} now={now} />,
        }}
        rows={rows}
      />
    </>
  );
}

/** Says what the page leaves out, and why. */
export function LeftOut() {
  return (
    <>
      <h2>What this page leaves out</h2>
      <p>
        This version of the API has no inspection of failed deliveries and no manual replay: its specification leaves
        both out. So this page counts attempts and names the reasons of failures, but it lists no single delivery, shows
        no request or response body, and has no button that sends an event again. The log of your receiver has what
        arrived there; pending events are sent again by themselves, up to {MAX_ATTEMPTS} times; and what was given up
        can be read <a href="/docs/webhook-delivery">from the API</a>.
      </p>
    </>
  );
}
