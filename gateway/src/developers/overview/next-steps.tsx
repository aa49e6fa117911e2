import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { nameOf } from "../keys/keys.js";
import { AREA_PATH } from "../page/page.js";
import { Note, Text, Time } from "../page/text.js";
import { wordsOf } from "../webhooks/failure-words.js";
import { hostOf } from "../webhooks/read-subscriptions.js";
import type { KeyInUse } from "./overview.js";

/** Which of the first steps an account has taken. What its environment cannot do is no step. */
interface Done {
  key: boolean;
  label?: boolean;
  webhook: boolean;
}

interface Step {
  isDone: boolean;
  title: string;
  why: string;
  /** Where it is done. */
  path: string;
  button: string;
}

/** The next steps of a new account; nothing once all are done. Viewers see how far the account has got. */
export function NextSteps({ base, isAdmin, done }: { base: string; isAdmin: boolean; done: Done }) {
  const steps = stepsOf(base, done);
  const next = steps.find(({ isDone }) => !isDone);
  if (!next) return null;
  return (
    <section class="steps" aria-labelledby="next-steps">
      <h2 id="next-steps">Next steps</h2>
      <ol>
        {steps.map((step) => (
          <li class={step.isDone ? "done" : undefined}>
            <div>
              <strong>{step.title}</strong> {step.isDone && <span class="tag good">Done</span>}
              {!step.isDone && <p class="hint">{step.why}</p>}
            </div>
            {step === next && isAdmin && (
              <a class="button" href={step.path}>
                {step.button}
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function stepsOf(base: string, done: Done): Step[] {
  return [
    {
      isDone: done.key,
      title: "Create an API key",
      why: "Your program needs one to call the API.",
      path: `${base}/keys/new`,
      button: "Create key",
    },
    ...(done.label === undefined
      ? []
      : [
          {
            isDone: done.label,
            title: "Create your first label",
            why: "Create an order, a shipment and a label with commands that you can copy.",
            path: `${AREA_PATH}/quick-start`,
            button: "Open the quick start",
          },
        ]),
    {
      isDone: done.webhook,
      title: "Subscribe to events",
      why: "Receive events as they happen instead of polling the API.",
      path: `${base}/webhooks/new`,
      button: "Create subscription",
    },
  ];
}

/** Lists failing subscriptions and keys that expire within a week. Renders nothing if there are none. */
export function Attention(props: {
  base: string;
  subscriptions: readonly SubscriptionHealth[];
  keys: readonly KeyInUse[];
}) {
  const failing = props.subscriptions.filter(({ state }) => state === "failing");
  const expiring = props.keys.filter(({ expiresSoon }) => expiresSoon);
  if (failing.length + expiring.length === 0) return null;
  return (
    <Note kind="danger">
      <ul class="attention">
        {failing.map((health) => (
          <li>
            <FailingSubscription base={props.base} health={health} />
          </li>
        ))}
        {expiring.map((key) => (
          <li>
            <ExpiringKey base={props.base} keyShown={key} />
          </li>
        ))}
      </ul>
    </Note>
  );
}

function FailingSubscription({ base, health }: { base: string; health: SubscriptionHealth }) {
  const { subscriptionId, url, lastFailure, failingSince } = health;
  return (
    <>
      <strong>
        <a href={`${base}/webhooks/${subscriptionId}`}>
          <Text>{hostOf(url)}</Text>
        </a>{" "}
        is failing
      </strong>
      {failingSince && (
        <>
          {" "}
          since <Time at={new Date(failingSince)} />
        </>
      )}
      {lastFailure && `: ${wordsOf(lastFailure).what}.`}
    </>
  );
}

function ExpiringKey({ base, keyShown }: { base: string; keyShown: KeyInUse }) {
  return (
    <>
      <strong>
        The key <Text>{nameOf(keyShown)}</Text> <code>…{keyShown.lastFour}</code> expires
      </strong>{" "}
      {keyShown.expiresAt && <Time at={keyShown.expiresAt} />}. <a href={`${base}/keys`}>Rotate it</a> before then.
    </>
  );
}
