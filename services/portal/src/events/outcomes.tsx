import type { Environment } from "@shipping/kit/caller";
import { MAX_ATTEMPTS } from "@shipping/proto/event-types";
import type { ComponentChildren } from "preact";
import { AREA_PATH } from "../page/page.js";
import { Since, Text, Time, TimeAgo } from "../page/text.js";
import type { Outcome } from "../read/read-webhooks.js";
import { describeFailure } from "./failure-words.js";

interface Outcomes {
  /** Undefined: the event has not arrived, or is no longer kept. */
  outcomes: readonly Outcome[] | undefined;
  createdAt: Date;
  now: Date;
}

/** Shorter than the minimum retention of events. */
const KEPT_MS = 7 * 86_400_000;

/** The outcome of an event's deliveries, one line for each subscription. */
export function OutcomeList({ outcomes, createdAt, now, environment }: Outcomes & { environment: Environment }) {
  if (!outcomes || outcomes.length === 0) return <span class="sub">{describeNone({ outcomes, createdAt, now })}.</span>;
  return (
    <ul class="outcomes">
      {outcomes.map((outcome) => (
        <li class={TONES[outcome.state]}>
          <OutcomeWords outcome={outcome} now={now}>
            <a href={`${AREA_PATH}/${environment}/webhooks/${outcome.subscriptionId}`}>
              <Text>{outcome.name}</Text>
            </a>
          </OutcomeWords>
        </li>
      ))}
    </ul>
  );
}

const TONES = { delivered: "good", exhausted: "danger", failing: "warning", disabled: "", waiting: "" } as const;

/** Says what became of an event at an endpoint, whose name is `children`. */
function OutcomeWords(props: { outcome: Outcome; now: Date; children: ComponentChildren }) {
  const { outcome, now, children: host } = props;
  const { state, endedAt, failingSince, failure } = outcome;
  const at = endedAt && <TimeAgo at={endedAt} now={now} />;
  if (state === "delivered")
    return (
      <>
        Delivered to {host}
        {at && <> {at}</>}
      </>
    );
  if (state === "exhausted") {
    return (
      <>
        Not delivered to {host}: given up after {MAX_ATTEMPTS} attempts{at && <>, the last at {at}</>}.
      </>
    );
  }
  if (state === "disabled") return <>Not delivered to {host} before its subscription was disabled.</>;
  return (
    <>
      Not delivered to {host} yet.
      <NextAttempt outcome={outcome} now={now} />
      {state === "failing" && (
        <>
          {" "}
          The endpoint has been failing
          <Since at={failingSince} />
          {failure && ` (${lowerFirst(describeFailure(failure).what)})`}.
        </>
      )}
    </>
  );
}

/** When an event is attempted next, after how many attempts. Renders nothing if that is not known. */
function NextAttempt({ outcome: { nextAt, attempts }, now }: { outcome: Outcome; now: Date }) {
  if (!nextAt) return null;
  if (attempts === 0) return <> The first attempt follows shortly.</>;
  return (
    <>
      {` ${attempts} of ${MAX_ATTEMPTS} attempts failed; next attempt at `}
      <TimeAgo at={nextAt} now={now} />.
    </>
  );
}

function describeNone({ outcomes, createdAt, now }: Outcomes): string {
  if (outcomes) return "No webhook subscription receives this event";
  if (now.getTime() - createdAt.getTime() < KEPT_MS) return "Not sent yet";
  return "Its delivery status is no longer stored";
}

/** A sentence about a change, without a period: whether its event was delivered. */
export function OutcomeSummary({ outcomes, createdAt, now }: Outcomes) {
  if (!outcomes || outcomes.length === 0) return <>{describeNone({ outcomes, createdAt, now })}</>;
  const open = outcomes.filter(({ state }) => state !== "delivered");
  const pending = open.filter(({ state }) => state === "failing" || state === "waiting");
  if (pending.length > 1) return <>{pending.length} endpoints have not received the event yet</>;
  const first = pending[0] ?? open[0];
  if (!first) return <AllDelivered outcomes={outcomes} />;
  const { name, state, failingSince } = first;
  return (
    <>
      {pending.length > 0 ? "The event was not delivered yet: " : "The event was not delivered: "}
      <Text>{name}</Text>{" "}
      {state === "failing" && (
        <>
          has been failing
          <Since at={failingSince} />
        </>
      )}
      {state === "waiting" && "has not responded yet"}
      {state === "exhausted" && `failed ${MAX_ATTEMPTS} times`}
      {state === "disabled" && "is disabled"}
      {pending.length === 0 && open.length > 1 && `, and ${open.length - 1} more`}
    </>
  );
}

function AllDelivered({ outcomes }: { outcomes: readonly Outcome[] }) {
  const times = outcomes.flatMap(({ endedAt }) => (endedAt ? Date.parse(endedAt) : []));
  const at = times.length === outcomes.length ? <Time at={new Date(Math.max(...times))} /> : undefined;
  if (outcomes.length === 1) return <>The event was delivered{at && <> at {at}</>}</>;
  return (
    <>
      The event was delivered to all {outcomes.length} receivers{at && <>, the last at {at}</>}
    </>
  );
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
