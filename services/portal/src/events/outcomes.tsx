import type { Environment } from "@shipping/kit/caller";
import { MAX_ATTEMPTS } from "@shipping/proto/event-types";
import type { ComponentChildren } from "preact";
import { AREA_PATH } from "../page/page.js";
import { Since, Text, Time } from "../page/text.js";
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
          <OutcomeWords outcome={outcome}>
            <a href={`${AREA_PATH}/${environment}/webhooks/${outcome.subscriptionId}`}>
              <Text>{outcome.host}</Text>
            </a>
          </OutcomeWords>
        </li>
      ))}
    </ul>
  );
}

const TONES = { delivered: "good", exhausted: "danger", failing: "warning", disabled: "", waiting: "" } as const;

/** `children` is the receiver's host. */
function OutcomeWords({ outcome, children: host }: { outcome: Outcome; children: ComponentChildren }) {
  const { state, endedAt, failingSince, failure } = outcome;
  const at = endedAt && <Time at={endedAt} />;
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
        Not delivered to {host}. Given up after {MAX_ATTEMPTS} attempts{at && <>, the last at {at}</>}.
      </>
    );
  }
  if (state === "disabled") return <>Not delivered to {host} before its subscription was disabled.</>;
  if (state === "waiting") return <>Not delivered to {host} yet.</>;
  return (
    <>
      Not delivered to {host} yet. Failing
      <Since at={failingSince} />
      {failure && ` (${lowerFirst(describeFailure(failure).what)})`}.
    </>
  );
}

function describeNone({ outcomes, createdAt, now }: Outcomes): string {
  if (outcomes) return "No webhook subscription receives this event";
  if (now.getTime() - createdAt.getTime() < KEPT_MS) return "Not sent yet";
  return "Its delivery status is no longer stored";
}

/** The end of a sentence about a change: whether its event was delivered. */
export function OutcomeSummary({ outcomes, createdAt, now }: Outcomes) {
  if (!outcomes || outcomes.length === 0) return <>{lowerFirst(describeNone({ outcomes, createdAt, now }))}</>;
  const open = outcomes.filter(({ state }) => state !== "delivered");
  const pending = open.filter(({ state }) => state === "failing" || state === "waiting");
  if (pending.length > 1) return <>{pending.length} endpoints have not received the event yet</>;
  const first = pending[0] ?? open[0];
  if (!first) return <AllDelivered outcomes={outcomes} />;
  const { host, state, failingSince } = first;
  return (
    <>
      {pending.length > 0 ? "not delivered yet: " : "not delivered: "}
      <Text>{host}</Text>{" "}
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
  if (outcomes.length === 1) return <>the event was delivered{at && <> at {at}</>}</>;
  return (
    <>
      the event was delivered to all {outcomes.length} receivers{at && <>, the last at {at}</>}
    </>
  );
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
